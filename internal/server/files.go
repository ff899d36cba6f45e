package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// A download is a file that readers keep: the check page as one file, which needs no
// server and no network. It is there if "make checker" has built it.
type download struct {
	Name, Path string
	Holds      string // key of the message that says what is in it
	Sum        string // SHA-256 in hex
	size       int
	file       asset
}

// Size is for people.
func (d download) Size() string {
	if d.size < 1e6 {
		return strconv.Itoa((d.size+500)/1000) + " KB"
	}
	return fmt.Sprintf("%.1f MB", float64(d.size)/1e6)
}

func downloads(files fs.FS) ([]download, error) {
	var found []download
	for _, d := range []download{{Name: "veridice-check.html", Holds: "check.download.alone"}, {Name: "veridice-check-full.html", Holds: "check.download.full"}} {
		html, err := fs.ReadFile(files, "dist/"+d.Name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(html)
		d.Path, d.Sum, d.size = "/"+d.Name, hex.EncodeToString(sum[:]), len(html)
		d.file = asset{"text/html; charset=utf-8", html, zip(html)}
		found = append(found, d)
	}
	return found, nil
}

// ServeHTTP sends the file to be kept and never to be shown: a page of this server has
// another policy than the one in the file.
func (d download) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", fresh)
	w.Header().Set("Content-Disposition", `attachment; filename="`+d.Name+`"`)
	d.file.send(w, r, http.StatusOK)
}

// verifierVersion is what web/verifier/veridice.mjs says of itself.
var verifierVersion = regexp.MustCompile(`(?m)^export const version = '([0-9]+\.[0-9]+\.[0-9]+)';$`)

// verifier serves the JavaScript engine for other sites, under its version and without:
//
//	/verifier/0.1.0/veridice.mjs
//	/verifier/veridice.mjs
type verifier struct {
	version string
	files   map[string]asset // by name
	sum     string           // of all files, for ETag
}

func newVerifier(files fs.FS) (verifier, error) {
	v := verifier{files: map[string]asset{}}
	entries, err := fs.ReadDir(files, "verifier")
	if err != nil {
		return v, err
	}
	sum := sha256.New()
	for _, e := range entries {
		source, err := fs.ReadFile(files, path.Join("verifier", e.Name()))
		if err != nil {
			return v, err
		}
		if e.Name() == "veridice.mjs" {
			if m := verifierVersion.FindSubmatch(source); m != nil {
				v.version = string(m[1])
			}
		}
		fmt.Fprintf(sum, "%s %x\n", e.Name(), sha256.Sum256(source))
		kind, script := contentTypes[path.Ext(e.Name())]
		if !script {
			kind = "text/plain; charset=utf-8" // types, which no browser runs
		}
		v.files[e.Name()] = asset{kind, bytes.Clone(source), zip(source)}
	}
	if v.version == "" {
		return v, errors.New("verifier/veridice.mjs names no version")
	}
	v.sum = hex.EncodeToString(sum.Sum(nil)[:8])
	return v, nil
}

func (v verifier) register(mux *http.ServeMux) {
	for name, file := range v.files {
		for _, at := range []string{"/verifier/", "/verifier/" + v.version + "/"} {
			mux.HandleFunc("GET "+at+name, func(w http.ResponseWriter, r *http.Request) {
				tag := `W/"` + v.sum + `"` // weak: compressed or not, it is the same
				// A page of another site may import it, and asks each time whether it has changed.
				w.Header().Set("Access-Control-Allow-Origin", "*")
				w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
				w.Header().Set("Cache-Control", fresh)
				w.Header().Set("ETag", tag)
				w.Header().Set("Vary", "Accept-Encoding")
				if known := strings.Join(r.Header.Values("If-None-Match"), ","); known == "*" || strings.Contains(known, `"`+v.sum+`"`) {
					w.WriteHeader(http.StatusNotModified)
					return
				}
				file.send(w, r, http.StatusOK)
			})
		}
	}
}

var (
	mailAddress = regexp.MustCompile(`^[A-Za-z0-9._+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$`)
	webAddress  = regexp.MustCompile(`^https?://[A-Za-z0-9._-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?$`)
)

// ValidContact reports whether a text is a contact as [Options] takes it: a mail address,
// or a web address of http or https without a query.
func ValidContact(text string) bool {
	return mailAddress.MatchString(text) || webAddress.MatchString(text)
}
