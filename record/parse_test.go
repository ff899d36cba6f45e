package record_test

import (
	"bytes"
	"testing"

	"veridice/record"
)

// The two examples of docs/spec/record.md.
const (
	tavliText = `veridice record 1
scheme tavli/1
match m-1
seal 752be61eabe9ccd97644543b438cca1fa8cf52a8351f1e1f6c86a21bc8173269
client bc541483be9f0ac9aa71379947c5a6c5
client 9ab7b939b5e2f6c1673f1483b8dc200b
game
roll 1 6 6
roll 2 1 5
roll 3 3 2
roll 4 2 3
roll 5 1 6
roll 6 6 6
roll 7 3 2
game
roll 8 6 1
roll 9 2 4
roll 10 6 6
roll 11 4 3
roll 12 4 6
seed 2d23a7916a1d0d6078c9f2068d7a7049de1e0f2f3faeb181a25e6798af6a8635
rolls 12
state finished
sum eadf0b31b1dc29395eefeeff74573e66dbaf340a00ebe0ad44f9efb3e57674d2
`
	yayayText = `veridice record 1
scheme yayay/1
match y-1
seal 752be61eabe9ccd97644543b438cca1fa8cf52a8351f1e1f6c86a21bc8173269
roll 1 5 2
roll 2 2 6
roll 3 6 1
roll 4 4
roll 5 4 5
roll 6 4 6
roll 7 4 6
roll 8 4 6
roll 9 6
roll 10 1 6
seed 2d23a7916a1d0d6078c9f2068d7a7049de1e0f2f3faeb181a25e6798af6a8635
rolls 10
state finished
sum db97ecea8f66f332a9abd0ebd79bc1f764c58cc4ecdf42ef7ff756b4d8e99743
`
)

func TestParseMarshal(t *testing.T) {
	for _, text := range []string{tavliText, yayayText} {
		r, err := record.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if r.Sum != r.RightSum() {
			t.Errorf("%s: the sum of the example is not right", r.Scheme)
		}
		got, err := r.MarshalText()
		if err != nil || !bytes.Equal(got, []byte(text)) {
			t.Errorf("marshals to\n%s%v", got, err)
		}
	}
}
