package server

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// assets are the static files, each under an address that names its content:
//
//	/assets/<hash of all scripts and styles>/app/check.mjs
//	/assets/veridice-<hash of the file>.wasm
//
// Scripts that import each other carry one hash together, so that a browser never
// mixes two versions.
type assets struct {
	version string              // SHA-256 of all scripts and styles, names included, in hex
	cores   map[string]coreFile // by name, as in dist/<name>.wasm.gz
	files   map[string]asset
	scripts map[string][]byte
}

// An asset is kept as it is sent: compressed, and plain for whoever cannot read that.
type asset struct {
	contentType string
	plain       []byte // nil if only the compressed form is kept
	zipped      []byte
}

var contentTypes = map[string]string{
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".mjs":  "text/javascript; charset=utf-8",
	".wasm": "application/wasm",
}

// A coreFile is a program made of the Go core. Both are "" if it was not built in.
type coreFile struct {
	address string
	sum     string // SHA-256 in hex
}

// The programs of the Go core: one for matches and one for the games of other sites,
// which nobody needs who checks a match.
const (
	matchCore = "veridice"
	gamesCore = "outcome"
)

func wasmFile(core string) string { return "dist/" + core + ".wasm.gz" }

func newAssets(files fs.FS) (*assets, error) {
	a := &assets{cores: map[string]coreFile{}, files: map[string]asset{}, scripts: map[string][]byte{}}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) == ".wasm" || contentTypes[path.Ext(name)] == "" {
			return err
		}
		a.scripts[name], err = fs.ReadFile(files, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(a.scripts))
	for name := range a.scripts {
		names = append(names, name)
	}
	slices.Sort(names)
	sum := sha256.New()
	for _, name := range names {
		fmt.Fprintf(sum, "%s %x\n", name, sha256.Sum256(a.scripts[name]))
	}
	a.version = hex.EncodeToString(sum.Sum(nil))
	for _, name := range names {
		a.files[a.address(name)] = asset{contentTypes[path.Ext(name)], a.scripts[name], zip(a.scripts[name])}
	}
	for _, core := range []string{matchCore, gamesCore} {
		if err := a.addCore(files, core); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// addCore takes a program of the Go core, which is compressed at rest. A server built
// without it works; its pages say that there is one engine.
func (a *assets) addCore(files fs.FS, name string) error {
	zipped, err := fs.ReadFile(files, wasmFile(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	plain, err := unzip(zipped)
	if err != nil {
		return fmt.Errorf("%s: %w", wasmFile(name), err)
	}
	sum := sha256.Sum256(plain)
	core := coreFile{sum: hex.EncodeToString(sum[:])}
	core.address = "/assets/" + name + "-" + core.sum[:16] + ".wasm"
	a.cores[name] = core
	a.files[core.address] = asset{contentTypes[".wasm"], nil, zipped}
	return nil
}

// address is where a file below web/ is served.
func (a *assets) address(name string) string { return "/assets/" + a.version[:16] + "/" + name }

// imported finds what a module imports at its start; a dynamic import has another form.
var imported = regexp.MustCompile(`(?m)^\s*(?:import|export)\b(?:[^'";=(]*\bfrom)?\s*['"](\.[^'"]+)['"]`)

// modules lists the addresses of the modules that a script needs before it can run,
// so that the browser fetches them at once and not one after the other.
func (a *assets) modules(script string) ([]string, error) {
	seen, todo := map[string]bool{script: true}, []string{script}
	var addresses []string
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		source, ok := a.scripts[name]
		if !ok {
			return nil, errors.New("there is no script " + name)
		}
		addresses = append(addresses, a.address(name))
		for _, m := range imported.FindAllSubmatch(source, -1) {
			if to := path.Join(path.Dir(name), string(m[1])); !seen[to] {
				seen[to], todo = true, append(todo, to)
			}
		}
	}
	return addresses, nil
}

func (a *assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	file, ok := a.files[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", immutable)
	file.send(w, r, http.StatusOK)
}

// send writes a file, compressed if the browser takes that.
func (f asset) send(w http.ResponseWriter, r *http.Request, status int) {
	w.Header().Set("Content-Type", f.contentType)
	if !slices.Contains(w.Header().Values("Vary"), "Accept-Encoding") {
		w.Header().Add("Vary", "Accept-Encoding")
	}
	body := f.zipped
	if takesGzip(r.Header.Get("Accept-Encoding")) {
		w.Header().Set("Content-Encoding", "gzip")
	} else if body = f.plain; body == nil {
		var err error
		if body, err = unzip(f.zipped); err != nil {
			panic("veridice: internal error: " + err.Error()) // it was read once already
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(body) // an error is the reader's going away
	}
}

// takesGzip reads an Accept-Encoding header: gzip is named, or else anything, and not with q=0.
func takesGzip(header string) (takes bool) {
	for item := range strings.SplitSeq(header, ",") {
		coding, q, _ := strings.Cut(item, ";")
		named := strings.EqualFold(strings.TrimSpace(coding), "gzip")
		if !named && strings.TrimSpace(coding) != "*" {
			continue
		}
		weight, err := strconv.ParseFloat(strings.TrimPrefix(strings.ReplaceAll(strings.ToLower(q), " ", ""), "q="), 64)
		if takes = q == "" || err == nil && weight > 0; named {
			return takes
		}
	}
	return takes
}

func zip(plain []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is a valid one
	w.Write(plain)                                        // a Buffer never fails
	w.Close()
	return b.Bytes()
}

func unzip(zipped []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
