package record_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veridice/record"
)

// viewOf is the view of a text.
func viewOf(t *testing.T, text string) []byte {
	t.Helper()
	r, err := record.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	view, err := r.MarshalView()
	if err != nil {
		t.Fatal(err)
	}
	return view
}

// textOf is the text of a view, or the refusal.
func textOf(t *testing.T, view string) (string, *record.SyntaxError) {
	t.Helper()
	r, err := record.ParseView([]byte(view))
	if err != nil {
		if r != nil {
			t.Fatalf("%q: an error and a record", view)
		}
		return "", fault(t, err)
	}
	text, err := r.MarshalText()
	if err != nil {
		t.Fatalf("%q is read, but has no text: %v", view, err)
	}
	return string(text), nil
}

const openView = `{"record":1,"scheme":"tavli/1","match":null,"seal":null,"clients":["a"],"entries":[],"seed":null,"rolls":0,` +
	`"state":"running","sum":"0000000000000000000000000000000000000000000000000000000000000000"}`

func TestMarshalView(t *testing.T) {
	if got := string(viewOf(t, openText)); got != openView {
		t.Errorf("got\n%s, want\n%s", got, openView)
	}
	const want = `{"record":1,"scheme":"yayay/1","match":"y-1","seal":"752be61eabe9ccd97644543b438cca1fa8cf52a8351f1e1f6c86a21bc8173269",` +
		`"entries":[{"type":"roll","roll":1,"dice":[5,2]},{"type":"roll","roll":2,"dice":[2,6]},{"type":"roll","roll":3,"dice":[6,1]},` +
		`{"type":"roll","roll":4,"dice":[4]},{"type":"roll","roll":5,"dice":[4,5]},{"type":"roll","roll":6,"dice":[4,6]},` +
		`{"type":"roll","roll":7,"dice":[4,6]},{"type":"roll","roll":8,"dice":[4,6]},{"type":"roll","roll":9,"dice":[6]},` +
		`{"type":"roll","roll":10,"dice":[1,6]}],"seed":"2d23a7916a1d0d6078c9f2068d7a7049de1e0f2f3faeb181a25e6798af6a8635",` +
		`"rolls":10,"state":"finished","sum":"db97ecea8f66f332a9abd0ebd79bc1f764c58cc4ecdf42ef7ff756b4d8e99743"}`
	if got := string(viewOf(t, yayayText)); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	if got := string(viewOf(t, tavliText)); !strings.Contains(got, `"entries":[{"type":"game"},{"type":"roll","roll":1,"dice":[6,6]},`) ||
		!strings.Contains(got, `"clients":["bc541483be9f0ac9aa71379947c5a6c5","9ab7b939b5e2f6c1673f1483b8dc200b"]`) {
		t.Errorf("got\n%s", got)
	}
}

// TestViewBack writes views once more as other programs would, and wants the
// same text of each.
func TestViewBack(t *testing.T) {
	for _, text := range []string{tavliText, yayayText, openText} {
		view := viewOf(t, text)
		var tree map[string]any
		if err := json.Unmarshal(view, &tree); err != nil {
			t.Fatal(err)
		}
		sorted, err := json.Marshal(tree) // members in another order
		if err != nil {
			t.Fatal(err)
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, sorted, "\r\n", "\t "); err != nil {
			t.Fatal(err)
		}
		escaped := strings.NewReplacer("/", `\/`, "tavli", `\u0074\u0061vl\u0069`, "dice", `\u0064ice`, "-", `\u002D`).Replace(string(view))
		for _, view := range []string{string(view), string(sorted), indented.String(), " \n" + escaped + "\t"} {
			if got, e := textOf(t, view); e != nil || got != text {
				t.Errorf("%s\ngives %q, %v", view, got, e)
			}
		}
	}
}

func TestViewRefuses(t *testing.T) {
	for _, row := range []struct{ old, with, want string }{
		{`"record":1,`, ``, "syntax"},
		{`"record":1`, `"record":2`, "version"},
		{`"record":1`, `"record":"1"`, "syntax"},
		{`"record":1`, `"record":1.0`, "syntax"},
		{`"record":1`, `"record":1e0`, "syntax"},
		{`"record":1`, `"record":01`, "syntax"},
		{`"record":1`, `"record":-0`, "syntax"},
		{`"record":1`, `"record":null`, "syntax"},
		{`"record":1`, `"record":true`, "syntax"},
		{`"record":1`, `"record":1,"record":1`, "syntax"},
		{`"record":1`, `"record":1,"\u0072ecord":1`, "syntax"},
		{`"record":1`, `"record":1,"Record":1`, "syntax"},
		{`"record":1`, `"RECORD":1`, "syntax"},
		{`"record":1`, `"record":1,"note":"x"`, "syntax"},
		{`"record":1`, `"record":1,"":null`, "syntax"},
		{`"record":1`, `"record" 1`, "syntax"},
		{`"record":1,`, `"record":1`, "syntax"},
		{`"record":1,`, `"record":1,,`, "syntax"},
		{`"record":1`, `record:1`, "syntax"},
		{`"record":1`, `'record':1`, "syntax"},
		{`{"record":1`, `/**/{"record":1`, "syntax"},
		{`{"record":1`, "\uFEFF{\"record\":1", "syntax"},
		{`{"record":1`, `[{"record":1`, "syntax"},
		{`"scheme":"tavli/1",`, ``, "syntax"},
		{`tavli/1`, `tavli/2`, "scheme"},
		{`tavli/1`, `tavli`, "syntax"},
		{`tavli/1`, `yayay/1`, "syntax"}, // has no clients
		{`"match":null`, `"match":"-"`, "syntax"},
		{`"match":null`, `"match":""`, "syntax"},
		{`"match":null`, `"match":"a b"`, "syntax"},
		{`"match":null`, `"match":"a\nseal -"`, "syntax"},
		{`"match":null`, `"match":"\u00e9"`, "syntax"},
		{`"match":null`, `"match":nul`, "syntax"},
		{`"match":null`, `"match":nulll`, "syntax"},
		{`"match":null`, `"match":"\ud800"`, "syntax"},
		{`"match":null`, `"match":"\ud83d\ude00"`, "syntax"},
		{`"match":null`, `"match":"\udc00\ud800"`, "syntax"},
		{`"match":null`, `"match":"\u00"`, "syntax"},
		{`"match":null`, `"match":"\u+041"`, "syntax"},
		{`"match":null`, `"match":"\x41"`, "syntax"},
		{`"match":null`, `"match":"\`, "syntax"},
		{`"match":null`, "\"match\":\"a\x01\"", "syntax"},
		{`"match":null`, "\"match\":\"a\xff\"", "syntax"},
		{`"match":null,`, ``, "syntax"},
		{`"seal":null`, `"seal":"-"`, "syntax"},
		{`"seal":null`, `"seal":""`, "syntax"},
		{`"seal":null`, `"seal":"` + strings.Repeat("AB", 32) + `"`, "syntax"},
		{`"clients":["a"]`, `"clients":[]`, "syntax"},
		{`"clients":["a"]`, `"clients":["a",]`, "syntax"},
		{`"clients":["a"]`, `"clients":["a""b"]`, "syntax"},
		{`"clients":["a"]`, `"clients":[""]`, "syntax"},
		{`"clients":["a"]`, `"clients":["a,b"]`, "syntax"},
		{`"clients":["a"]`, `"clients":"a"`, "syntax"},
		{`"clients":["a"]`, `"clients":[["a"]]`, "syntax"},
		{`"clients":["a"]`, `"clients":[null]`, "syntax"},
		{`"clients":["a"]`, `"clients":null`, "syntax"},
		{`"clients":["a"],`, ``, "syntax"},
		{`"clients":["a"]`, `"clients":["a"` + strings.Repeat(`,"a"`, 16) + `]`, "syntax"},
		{`"entries":[]`, `"entries":[{"type":"game"}]`, "syntax"},
		{`"entries":[]`, `"entries":[{"type":"move","role":1}]`, "syntax"},
		{`"entries":[]`, `"entries":[{}]`, "syntax"},
		{`"entries":[]`, `"entries":[null]`, "syntax"},
		{`"entries":[]`, `"entries":{}`, "syntax"},
		{`"entries":[]`, `"entries":[{"roll":1,"dice":[1,1]}]`, "syntax"},
		{`"entries":[]`, `"entries":[{"type":"roll","roll":1}]`, "syntax"},
		{`"entries":[]`, `"entries":[{"type":"roll","dice":[1,1]}]`, "syntax"},
		{`"entries":[]`, `"entries":[{"type":"roll","roll":0,"dice":[1,1]}]`, "syntax"},
		{`"entries":[]`, `"entries":[{"type":"roll","roll":null,"dice":[1,1]}]`, "syntax"},
		{`"entries":[]`, `"entries":[{"type":"roll","roll":100001,"dice":[1,1]}]`, "syntax"},
		{`"entries":[]`, `"entries":[{"type":"roll","roll":1,"dice":[1]}]`, "syntax"},
		{`"entries":[]`, `"entries":[{"type":"roll","roll":1,"dice":[0,1]}]`, "syntax"},
		{`"entries":[]`, `"entries":[{"type":"roll","roll":1,"dice":[7,1]}]`, "syntax"},
		{`"entries":[]`, `"entries":[{"type":"roll","roll":1,"dice":[4294967297,1]}]`, "syntax"},
		{`"entries":[]`, `"entries":[{"type":"roll","roll":1,"dice":[1,1],"actor":1}]`, "syntax"},
		{`"entries":[]`, `"entries":[{"type":"game","roll":1}]`, "syntax"},
		{`"entries":[]`, `"entries":[{"type":"game","dice":[]},{"type":"roll","roll":1,"dice":[1,1]}]`, "syntax"},
		{`"entries":[]`, `"entries":[{"type":"roll","type":"roll","roll":1,"dice":[1,1]}]`, "syntax"},
		{`"seed":null`, `"seed":""`, "syntax"},
		{`"seed":null`, `"seed":"-"`, "syntax"},
		{`"seed":null`, `"seed":"00112233445566778899aabbccddee"`, "syntax"},
		{`"seed":null`, `"seed":"00112233445566778899aabbccddeeFF"`, "syntax"},
		{`"rolls":0`, `"rolls":00`, "syntax"},
		{`"rolls":0`, `"rolls":100001`, "syntax"},
		{`"rolls":0`, `"rolls":9007199254740993`, "syntax"},
		{`"rolls":0`, `"rolls":`, "syntax"},
		{`"running"`, `"walking"`, "syntax"},
		{`"running"`, `""`, "syntax"},
		{`"running"`, `null`, "syntax"},
		{`00"}`, `0"}`, "syntax"},
		{`00"}`, `00"`, "syntax"},
		{`00"}`, `00",}`, "syntax"},
		{`00"}`, `00"}}`, "syntax"},
		{`00"}`, `00"} x`, "syntax"},
		{`00"}`, `00"}{}`, "syntax"},
		{`00"}`, "00\"}\x00", "syntax"},
	} {
		view := strings.Replace(openView, row.old, row.with, 1)
		if view == openView {
			t.Fatalf("%q is not in the view", row.old)
		}
		if text, e := textOf(t, view); e == nil || string(e.Code) != row.want {
			t.Errorf("%s for %s gives %q, %v, want %s", row.with, row.old, text, e, row.want)
		}
	}
	for _, view := range []string{"", " ", "null", "[]", "{}", `""`, "1", "{", `{"`, "[[[["} {
		if text, e := textOf(t, view); e == nil || e.Code != record.Syntax {
			t.Errorf("%q gives %q, %v", view, text, e)
		}
	}
	if _, err := record.ParseView(make([]byte, 2*record.MaxSize+1)); fault(t, err).Code != record.TooLong {
		t.Errorf("32 MiB + 1: %v", err)
	}
	// A throw of a hundred dice is no longer in the view than in the text.
	if text, e := textOf(t, string(viewOf(t, string(sized(record.MaxSize))))); e != nil || text != string(sized(record.MaxSize)) {
		t.Errorf("the view of the largest record is not read back: %v", e)
	}
}

// TestViewPlace holds line and column of a refusal.
func TestViewPlace(t *testing.T) {
	view := strings.ReplaceAll(openView, ",", ",\n")
	for _, row := range []struct{ old, with, want string }{
		{`"rolls":0`, `"rolls":100001`, "record: line 8: column 9: the number is above 100000"},
		{`"seal":null`, `"geheim":"é"`, "record: line 4: column 10: there is an unknown member"},
		{`"record":1,`, `,`, "record: line 1: column 2: there is no '\"' here"},
		{`"match":null`, `"match":"-"`, "record: line 3: column 12: a match without a name is null"},
		{`"match":null`, `"match":"\ud800"`, "record: line 3: column 10: there is an escape that is none, or half of a surrogate pair"},
		{`"match":null`, `"match":null,"match":"m"`, "record: line 3: column 21: a member is there twice"},
	} {
		_, err := record.ParseView([]byte(strings.Replace(view, row.old, row.with, 1)))
		if err == nil || err.Error() != row.want {
			t.Errorf("%s: got %v, want %s", row.with, err, row.want)
		}
	}
}

// TestViewMangled cuts and changes a view everywhere: what is still read is JSON
// and has a text.
func TestViewMangled(t *testing.T) {
	good := string(viewOf(t, tavliText))
	for i := range good {
		if text, e := textOf(t, good[:i]); e == nil {
			t.Fatalf("cut after %d bytes: %q", i, text)
		}
		for _, changed := range []string{
			good[:i] + good[i+1:],
			good[:i] + good[i:i+1] + good[i:],
			good[:i] + string([]byte{good[i] ^ 1}) + good[i+1:],
			good[:i] + string([]byte{good[i] ^ 4}) + good[i+1:],
			good[:i] + string([]byte{good[i] ^ 32}) + good[i+1:],
		} {
			text, e := textOf(t, changed)
			if e == nil && (text == tavliText || !json.Valid([]byte(changed))) {
				t.Fatalf("changed at byte %d: %s is read as %q", i, changed, text)
			}
		}
	}
}

func TestSharedViews(t *testing.T) {
	v := shared(t)
	if len(v.ClassicViews) == 0 {
		t.Error("the vectors have no classic views")
	}
	for _, c := range v.ClassicViews {
		var got, want any
		if err := json.Unmarshal(viewOf(t, c.Record), &got); err != nil {
			t.Error(err)
		}
		if err := json.Unmarshal(c.View, &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Error(diff)
		}
		if text, e := textOf(t, string(c.View)); e != nil || text != c.Record {
			t.Errorf("the view gives %q, %v", text, e)
		}
	}
}
