package scheme

import (
	"crypto/hmac"
	"crypto/sha256"
	"strconv"
	"strings"

	"veridice/seed"
)

// tavli/1: key the bytes of the seed; client seeds joined by colons in the order
// of the seats, then a plus sign for each block before this one, a colon and the
// roll number, from 1. Dice are drawn by [veridice/draw.Pair] with no bias. The
// seal covers the bytes. docs/spec/tavli.md
var tavli1 = Scheme{
	Name:  Tavli1,
	First: 1, Last: 1<<53 - 1,
	MinServer: 16, MaxServer: 64,
	MinClients: 1, MaxClients: 16,
	width: sha256.Size,
	mac:   hmacSHA256,
	message: func(clients []seed.Client, number uint64, block uint32) []byte {
		var m []byte
		for i, c := range clients {
			if i > 0 {
				m = append(m, ':')
			}
			m = append(m, c...)
		}
		m = append(m, strings.Repeat("+", int(block))...)
		m = append(m, ':')
		return strconv.AppendUint(m, number, 10)
	},
}

func hmacSHA256(key, message []byte) (sum [32]byte) {
	h := hmac.New(sha256.New, key)
	h.Write(message)
	h.Sum(sum[:0])
	return sum
}
