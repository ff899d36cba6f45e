package scheme

import (
	"crypto/sha256"
	"encoding/binary"

	"veridice/seed"
)

// yayay/1: no MAC but SHA-256 of the seed's 32 bytes followed by the number of
// the die, four bytes, most significant first. Dice are numbered from 0 through
// the whole game, and only the first word of a block is used, so that the stream
// of number i holds die i, die i+1 and so on. There are no client seeds. Dice
// are drawn by [veridice/draw.Modulo], with the bias stated there. The seal
// covers the bytes. docs/spec/yayay.md
var yayay1 = Scheme{
	Name:  Yayay1,
	First: 0, Last: 1<<32 - 1,
	MinServer: 32, MaxServer: 32,
	width: 4,
	mac: func(key, message []byte) [32]byte {
		return sha256.Sum256(append(append(make([]byte, 0, 36), key...), message...))
	},
	message: func(_ []seed.Client, number uint64, block uint32) []byte {
		return binary.BigEndian.AppendUint32(nil, uint32(number)+block)
	},
}
