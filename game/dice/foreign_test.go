package dice_test

import (
	"bytes"
	"slices"
	"testing"

	"veridice/game/dice"
)

// blocks is a source of the blocks given.
type blocks struct {
	list [][]byte
	rest []byte
	next int
}

func (b *blocks) Byte() byte {
	if len(b.rest) == 0 {
		b.Seek(uint64(b.next))
	}
	x := b.rest[0]
	b.rest = b.rest[1:]
	return x
}

func (b *blocks) Seek(n uint64) { b.rest, b.next = b.list[n], int(n)+1 }

// The injected example of foreign.md, section 6: a block is used up, and the
// next roll takes the nonce after the last one used.
func TestZeroplayTakesAnotherBlock(t *testing.T) {
	first := append(bytes.Repeat([]byte{255}, 31), 7)
	second := append([]byte{252, 6}, make([]byte, 30)...)
	third := append([]byte{251, 5}, make([]byte, 30)...)
	rolls, next, ok := dice.Zeroplay(&blocks{list: [][]byte{first, second, third}}, 0, 2)
	if !ok || !slices.Equal(rolls, [][2]uint32{{2, 1}, {6, 6}}) || next != 3 {
		t.Errorf("got %d, next nonce %d", rolls, next)
	}
	// Both dice of a roll at the end of a block use that one only.
	full := append(bytes.Repeat([]byte{255}, 30), 1, 2)
	rolls, next, ok = dice.Zeroplay(&blocks{list: [][]byte{full, third}}, 0, 2)
	if !ok || !slices.Equal(rolls, [][2]uint32{{2, 3}, {6, 6}}) || next != 2 {
		t.Errorf("got %d, next nonce %d", rolls, next)
	}
}

func TestOldPrimediceGroups(t *testing.T) {
	// fffff fffff 0270f: the third group of five digits is 9999.
	if v, ok := dice.OldPrimedice(&blocks{list: [][]byte{{0xff, 0xff, 0xff, 0xff, 0xff, 0x02, 0x70, 0xf0}}}); !ok || v.String() != "99.99" {
		t.Errorf("got %v %v", v, ok)
	}
	// f423f is 999,999 and f4240 a million.
	if v, ok := dice.OldPrimedice(&blocks{list: [][]byte{{0xf4, 0x24, 0x0f, 0x42, 0x3f}}}); !ok || v != 9999 {
		t.Errorf("got %v %v", v, ok)
	}
	if v, ok := dice.OldPrimedice(&blocks{list: [][]byte{bytes.Repeat([]byte{0xff}, 64)}}); ok || v != 0 {
		t.Errorf("25 groups above the limit give %v", v)
	}
}
