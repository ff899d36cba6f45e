package record_test

import (
	"io/fs"
	"path"
	"strings"
	"testing"

	"veridice/record"
	"veridice/vectors"
)

// TestInvalid reads every file of vectors/invalid, whose README has the format:
// one fault each, of which the code and the place are known.
func TestInvalid(t *testing.T) {
	names, err := fs.Glob(vectors.FS(), "invalid/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, name := range names {
		t.Run(path.Base(name), func(t *testing.T) {
			file, err := fs.ReadFile(vectors.FS(), name)
			if err != nil {
				t.Fatal(err)
			}
			head, text, ok := strings.Cut(string(file), "---\n")
			if !ok {
				t.Fatal("has no --- line")
			}
			fields := map[string]string{}
			for line := range strings.SplitSeq(strings.TrimSuffix(head, "\n"), "\n") {
				key, value, ok := strings.Cut(line, ": ")
				if !ok || value == "" || fields[key] != "" {
					t.Fatalf("the line %q is not of the format", line)
				}
				fields[key] = value
			}
			kinds[fields["kind"]]++
			switch fields["kind"] {
			case "record":
				_, err = record.Parse([]byte(text))
			case "link":
				_, err = record.ReadLink(text)
			case "rolls":
				dice, ok := map[string]int{"tavli/1": 2, "yayay/1": 0}[fields["scheme"]]
				if !ok {
					t.Fatalf("pasted rolls of scheme %q", fields["scheme"])
				}
				_, err = record.ReadRolls(text, dice)
			default:
				t.Fatalf("kind %q", fields["kind"])
			}
			if err == nil {
				t.Fatalf("is read, want %s", fields["expect"])
			}
			if got := place(fault(t, err)); got != fields["expect"] {
				t.Errorf("%s: %v, want %s", got, err, fields["expect"])
			}
		})
	}
	for _, kind := range []string{"record", "link", "rolls"} {
		if kinds[kind] < 10 {
			t.Errorf("%d files of kind %s were read: where are the others?", kinds[kind], kind)
		}
	}
}
