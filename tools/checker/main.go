// Checker builds the check page as one file that works without a server and without a
// network:
//
//	cd tools && go run ./checker ../web/dist
//
// It writes veridice-check.html, which has the JavaScript engine alone, and, where the
// folder holds veridice.wasm, veridice-check-full.html, which has the Go core too. It
// prints the SHA-256 of each. Two builds have the same bytes.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	plain "text/template"

	"github.com/evanw/esbuild/pkg/api"
)

// The languages in the order in which the page offers them, as internal/locale names them.
var languages = []language{{Tag: "en", Name: "English"}, {Tag: "el", Name: "Ελληνικά"}, {Tag: "de", Name: "Deutsch"}, {Tag: "id", Name: "Bahasa Indonesia"}}

type language struct {
	Tag   string `json:"tag"`
	Name  string `json:"name"`
	Short string `json:"short"`
}

// wanted begin the keys of the messages that the page has words for.
var wanted = []string{"check.", "checker.", "ui.", "verify."}

const most = 2 << 20 // bytes of the file with the core

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: checker FOLDER")
		os.Exit(2)
	}
	if err := run("..", os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "checker:", err)
		os.Exit(1)
	}
}

// run builds from the repository at root into a folder.
func run(root, out string, stdout io.Writer) error {
	core, err := os.ReadFile(filepath.Join(out, "veridice.wasm"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, f := range []struct {
		name string
		core []byte
	}{{"veridice-check.html", nil}, {"veridice-check-full.html", core}} {
		if f.core == nil && f.name != "veridice-check.html" {
			continue
		}
		html, err := build(root, out, f.core)
		if err != nil {
			return fmt.Errorf("%s: %v", f.name, err)
		}
		if len(html) > most {
			return fmt.Errorf("%s has %d bytes, which is more than %d", f.name, len(html), most)
		}
		if err := os.WriteFile(filepath.Join(out, f.name), html, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%x  %s\n", sha256.Sum256(html), f.name)
	}
	return nil
}

// built is what web/app/checker-data.mjs finds in the script.
type built struct {
	Languages []language                            `json:"languages"`
	Words     map[string]map[string]json.RawMessage `json:"words"`
	Page      []any                                 `json:"page"`
	CoreSum   string                                `json:"coreSum"`
}

// A document is what web/checker.html is made of. Script and style stand in it exactly as
// they were hashed.
type document struct {
	Policy, Style, Symbols, Script, Core string
	Fallback                             []struct{ Lang, Text string }
}

func build(root, dist string, core []byte) ([]byte, error) {
	web := filepath.Join(root, "web")
	b := built{Words: map[string]map[string]json.RawMessage{}}
	var d document
	for _, l := range languages {
		words, err := catalogue(root, l.Tag)
		if err != nil {
			return nil, err
		}
		var fallback string
		if err := errors.Join(json.Unmarshal(words["ui.language.short"], &l.Short), json.Unmarshal(words["checker.fallback"], &fallback)); err != nil {
			return nil, err
		}
		b.Languages = append(b.Languages, l)
		b.Words[l.Tag] = words
		d.Fallback = append(d.Fallback, struct{ Lang, Text string }{l.Tag, fallback})
	}
	var err error
	if b.Page, err = page(web); err != nil {
		return nil, err
	}
	if core != nil {
		b.CoreSum = fmt.Sprintf("%x", sha256.Sum256(core))
		d.Core = wrapped(zip(core))
	}
	if d.Script, err = script(web, dist, b); err != nil {
		return nil, err
	}
	for _, name := range []string{"css/veridice.css", "css/checker.css"} {
		css, err := os.ReadFile(filepath.Join(web, name))
		if err != nil {
			return nil, err
		}
		d.Style += string(css)
	}
	symbols, err := template.ParseFiles(filepath.Join(web, "symbols.html"))
	if err != nil {
		return nil, err
	}
	var drawn strings.Builder
	if err := symbols.ExecuteTemplate(&drawn, "symbols", nil); err != nil {
		return nil, err
	}
	d.Symbols = drawn.String()
	wasm := ""
	if core != nil {
		wasm = " 'wasm-unsafe-eval'"
	}
	d.Policy = "default-src 'none'; script-src " + source(d.Script) + wasm + "; style-src " + source(d.Style) +
		"; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
	for what, text := range map[string]string{"</script": d.Script, "</style": d.Style} {
		if strings.Contains(strings.ToLower(text), what) {
			return nil, fmt.Errorf("%s in the middle of it", what)
		}
	}
	// Not html/template: it would change script and style, which are hashed.
	frame, err := plain.ParseFiles(filepath.Join(web, "checker.html"))
	if err != nil {
		return nil, err
	}
	var html bytes.Buffer
	err = frame.Execute(&html, d)
	return html.Bytes(), err
}

// catalogue reads the messages of a language that the page needs.
func catalogue(root, tag string) (map[string]json.RawMessage, error) {
	text, err := os.ReadFile(filepath.Join(root, "internal", "locale", "messages", tag+".json"))
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	words := map[string]json.RawMessage{}
	for key, value := range all {
		if slices.ContainsFunc(wanted, func(prefix string) bool { return strings.HasPrefix(key, prefix) }) {
			words[key] = value
		}
	}
	return words, nil
}

// source is a text in a policy.
func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// script makes one classic script of the modules: a module does not load from a file. It
// is not minified, since it is there to be read.
func script(web, dist string, b built) (string, error) {
	known, err := json.Marshal(b)
	if err != nil {
		return "", err
	}
	entry := "import './app/checker.mjs';\nimport './app/check.mjs';\n"
	if b.CoreSum != "" {
		loader, err := filepath.Abs(filepath.Join(dist, "wasm_exec.js"))
		if err != nil {
			return "", err
		}
		entry = "import 'loader';\n" + entry
		return bundle(web, entry, loader, string(known))
	}
	return bundle(web, entry, "", string(known))
}

// instead are the modules that are others in the file than on the site.
var instead = map[string]string{"data.mjs": "checker-data.mjs", "core.mjs": "checker-core.mjs"}

func bundle(web, entry, loader, known string) (string, error) {
	top, err := filepath.Abs(web)
	if err != nil {
		return "", err
	}
	var text string
	swap := api.Plugin{Name: "swap", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: `^\./(data|core)\.mjs$`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: filepath.Join(a.ResolveDir, instead[filepath.Base(a.Path)])}, nil
		})
		b.OnResolve(api.OnResolveOptions{Filter: `^loader$`}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: "wasm_exec.js", Namespace: "loader", SideEffects: api.SideEffectsTrue}, nil
		})
		b.OnLoad(api.OnLoadOptions{Filter: `.`, Namespace: "loader"}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
			source, err := os.ReadFile(loader)
			text = string(source)
			return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, err
		})
	}}
	result := api.Build(api.BuildOptions{
		Stdin:         &api.StdinOptions{Contents: entry, ResolveDir: top, Sourcefile: "checker"},
		AbsWorkingDir: top, // names of files in comments begin here, on every machine
		Bundle:        true,
		Format:        api.FormatIIFE,
		Target:        api.ES2022,
		Charset:       api.CharsetUTF8,
		Platform:      api.PlatformBrowser,
		LegalComments: api.LegalCommentsInline,
		Define:        map[string]string{"globalThis.VERIDICE_CHECKER": known},
		Plugins:       []api.Plugin{swap},
		LogLevel:      api.LogLevelSilent,
	})
	for _, m := range append(result.Errors, result.Warnings...) {
		return "", fmt.Errorf("%s (%+v)", m.Text, m.Location)
	}
	return "\n" + string(result.OutputFiles[0].Contents), nil
}

// A view is what the template of the check page sees here. Messages stay as marks, which
// no text holds, and become words in the page.
type view struct {
	Fields   []string
	Checkers []string // the page is one itself
	Lang     string
}

func (view) Say(key string) string { return "\ue000" + key + "\ue001" }

var marked = regexp.MustCompile("\ue000([a-z0-9.-]+)\ue001")

// page reads the main part of the check page as a tree.
func page(web string) ([]any, error) {
	t, err := template.ParseFiles(filepath.Join(web, "layout.html"), filepath.Join(web, "symbols.html"), filepath.Join(web, "check.html"))
	if err != nil {
		return nil, err
	}
	if _, err := t.Parse(`{{define "noscript"}}{{end}}`); err != nil {
		return nil, err
	}
	var html bytes.Buffer
	if err := t.ExecuteTemplate(&html, "main", view{Fields: []string{"server", "seal", "clients", "number", "recorded"}}); err != nil {
		return nil, err
	}
	d := xml.NewDecoder(&html)
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	root := []any{"", map[string]any{}}
	stack := [][]any{root}
	add := func(part any) { stack[len(stack)-1] = append(stack[len(stack)-1], part) }
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		switch e := token.(type) {
		case xml.StartElement:
			attributes := map[string]any{}
			for _, a := range e.Attr {
				switch name := a.Name.Local; {
				case a.Value == name: // written without a value
					attributes[name] = true
				case marked.MatchString(a.Value):
					if marked.FindString(a.Value) != a.Value {
						return nil, fmt.Errorf("%s of %s is more than a message", name, e.Name.Local)
					}
					attributes[name] = map[string]string{"say": marked.FindStringSubmatch(a.Value)[1]}
				default:
					attributes[name] = a.Value
				}
			}
			stack = append(stack, []any{e.Name.Local, attributes})
		case xml.EndElement:
			done := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			add(done)
		case xml.CharData:
			text, at := string(e), 0
			if strings.TrimSpace(text) == "" {
				continue
			}
			for _, m := range marked.FindAllStringSubmatchIndex(text, -1) {
				if m[0] > at {
					add(text[at:m[0]])
				}
				add(map[string]string{"say": text[m[2]:m[3]]})
				at = m[1]
			}
			if at < len(text) {
				add(text[at:])
			}
		}
	}
	return stack[0][2:], nil
}

func zip(data []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is a valid one
	w.Write(data)                                         // a Buffer never fails
	w.Close()
	return b.Bytes()
}

// wrapped is base64 in lines, which editors can open.
func wrapped(data []byte) string {
	text := base64.StdEncoding.EncodeToString(data)
	var lines []string
	for len(text) > 120 {
		lines, text = append(lines, text[:120]), text[120:]
	}
	return strings.Join(append(lines, text), "\n")
}
