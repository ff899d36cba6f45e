package crash

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"strconv"
	"testing"
)

type flat struct {
	bytes []byte
	taken int
}

func (f *flat) Byte() byte {
	f.taken++
	return f.bytes[f.taken-1]
}

func ofTop52(r uint64) *flat { return &flat{bytes: binary.BigEndian.AppendUint64(nil, r<<12)} }

// TestNine rounds to nine digits; exact halves go up, where Go's own formatting
// would go to the even digit.
func TestNine(t *testing.T) {
	b, err := os.ReadFile("../../vectors/games/edges.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan(); {
		var e struct {
			Formula string
			Word    uint64
			Double  any
		}
		if err := json.Unmarshal(s.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if e.Formula != "nine" {
			continue
		}
		n++
		want, err := strconv.ParseFloat(e.Double.(string), 64)
		if err != nil {
			t.Fatal(err)
		}
		if got := nine(e.Word); got != want {
			t.Errorf("%d: got %v, want %v", e.Word, got, want)
		}
	}
	if n != 8 {
		t.Errorf("read %d", n)
	}
	if nine(513<<42) != 0.500976563 {
		t.Errorf("513/1024: got %v", nine(513<<42))
	}
	if even, err := strconv.ParseFloat(strconv.FormatFloat(513.0/1024, 'g', 9, 64), 64); err != nil || even != 0.500976562 {
		t.Errorf("Go formats 513/1024 as %v", even)
	}
}

func TestBCGameDividesByZero(t *testing.T) {
	if h, ok := BCGame(ofTop52(1<<52 - 1)); ok || h != 0 {
		t.Errorf("got %d %v", h, ok)
	}
	// The largest r that does not round to 1: 0.9999999994999...
	r := uint64(1<<52) - uint64(1<<52)/2_000_000_000 - 1
	if h, ok := BCGame(ofTop52(r)); !ok || h == 0 {
		t.Errorf("r = %d: got %d %v", r, h, ok)
	}
	if h, ok := BCGame(ofTop52(r + 2)); ok || h != 0 {
		t.Errorf("r = %d: got %d %v", r+2, h, ok)
	}
}

// The examples of foreign.md, sections 3 to 5.
func TestExamples(t *testing.T) {
	for r, want := range map[uint64]uint64{1466147335311036: 146, 3702619596833223: 556, 3557115923999939: 471, 1887939992208324: 170, 0xaf075c6bf62f7: 313, 0: 100, 1<<52 - 1: 445856363109679104} {
		if got := Bustabit(ofTop52(r)); got != want {
			t.Errorf("r = %d: got %d, want %d", r, got, want)
		}
	}
	for r, want := range map[uint64]uint64{374772891065695: 108, 4347852045767388: 2863} {
		if got := ofRoobet(r); got != want {
			t.Errorf("roobet, r = %d: got %d, want %d", r, got, want)
		}
	}
}

func TestRoobetDivides(t *testing.T) {
	number := make([]byte, 32)
	for low, want := range map[byte]map[uint32]uint64{0: {20: 100, 25: 100}, 20: {20: 100, 25: 108}, 50: {20: 108, 25: 100}, 51: {20: 108, 25: 108}} {
		for divisor, h := range want {
			binary.BigEndian.PutUint64(number, 374772891065695<<12)
			// 374772891065695 × 2^204 mod 100, so that the last byte decides.
			rest := uint64(0)
			for _, b := range number[:31] {
				rest = (rest<<8 | uint64(b)) % 100
			}
			rest = rest << 8 % 100
			number[31] = byte((100-rest)%100) + low
			if got := Roobet(&flat{bytes: number}, divisor); got != h {
				t.Errorf("rest %d, divisor %d: got %d, want %d", low, divisor, got, h)
			}
		}
	}
}
