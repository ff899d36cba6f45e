//go:build !js

package scheme

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"testing"

	"github.com/c2sp/wycheproof"
)

// TestWycheproof runs the vectors that others collected of what goes wrong in an
// HMAC. They are 100 MB in one module, too much for a test in a browser.
func TestWycheproof(t *testing.T) {
	text, err := fs.ReadFile(wycheproof.TestVectors, "hmac_sha256_test.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		NumberOfTests int
		TestGroups    []struct {
			TagSize int
			Tests   []struct {
				TcID                           int
				Comment, Key, Msg, Tag, Result string
			}
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	ran, invalid := 0, 0
	for _, g := range file.TestGroups {
		for _, c := range g.Tests {
			ran++
			got := hmacSHA256(unhex(t, c.Key), unhex(t, c.Msg))
			same := bytes.Equal(got[:g.TagSize/8], unhex(t, c.Tag))
			switch c.Result {
			case "valid":
				if !same {
					t.Errorf("%d (%s): got %x, want %s", c.TcID, c.Comment, got, c.Tag)
				}
			case "invalid":
				invalid++
				if same {
					t.Errorf("%d (%s): the tag %s is right", c.TcID, c.Comment, c.Tag)
				}
			default:
				t.Errorf("%d: result %q", c.TcID, c.Result)
			}
		}
	}
	if ran != file.NumberOfTests || ran < 100 || invalid == 0 {
		t.Errorf("ran %d of %d vectors, %d of them invalid", ran, file.NumberOfTests, invalid)
	}
}
