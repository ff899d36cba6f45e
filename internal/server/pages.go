package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"veridice/internal/locale"
)

// A page is one of the site, in every language.
type page struct {
	name   string   // of its template, web/<name>.html, and of its script, web/app/<name>.mjs
	path   string   // below the language
	kind   pageKind // which policy it gets
	script bool
	core   string   // which program of the Go core its script may fetch
	words  []string // prefixes of the messages that its script needs
}

var sitemap = []page{
	{"home", "", tablePage, true, matchCore, []string{"home.", "ui.", "error.", "table.random.missing", "table.notation.", "table.send"}},
	{"check", "check/", checkPage, true, matchCore, []string{"check.", "ui.", "verify."}},
	{"outcomes", "outcomes/", checkPage, true, gamesCore, []string{"outcomes.", "ui.", "outcome.key.", "outcome.value.", "outcome.label.", "outcome.finding."}},
	{"how", "how/", checkPage, true, "", []string{"how.", "check.", "ui.", "verify."}},
	{"table", "table/", tablePage, true, matchCore, []string{"table.", "ui.", "verify.", "error."}},
	{"replay", "match/", tablePage, true, "", []string{"replay.", "check.", "ui.", "verify.", "table.card", "table.coin"}},
	{"luck", "luck/", tablePage, true, "", []string{"luck.", "replay.", "check.", "ui.", "verify."}},
	{"log", "log/", tablePage, true, "", []string{"log.", "ui."}},
	{"matches", "matches/", checkPage, true, "", []string{"matches.", "replay.", "check.", "ui.", "verify."}},
}

var notFound = page{name: "notfound", kind: textPage}

// pages serves the pages and their static files. Everything is rendered and
// compressed once, at the start.
type pages struct {
	about
	assets   *assets
	rendered map[string]asset // by language and template name, "el/check"
	matcher  language.Matcher
	tags     []string // in the order of the matcher's index

	downloads []download
	verifier  verifier
}

// An about is what pages say of the server that they come from.
type about struct {
	origin    string // as its readers see it, or "" for the Host of each request
	serverKey string // hex, of the server's signatures in veridice/1
	contact   string // for whoever finds a mismatch, "" for nobody
	logPolicy string // of the public log, "" without one
}

// newPages reads templates and static files; a fault in them is found here and
// not by a reader.
func newPages(files fs.FS, of about) (*pages, error) {
	a, err := newAssets(files)
	if err != nil {
		return nil, err
	}
	p := &pages{about: of, assets: a, rendered: map[string]asset{}}
	if p.downloads, err = downloads(files); err != nil {
		return nil, err
	}
	if p.verifier, err = newVerifier(files); err != nil {
		return nil, err
	}
	var known []language.Tag
	for _, l := range locale.Languages() {
		p.tags = append(p.tags, l.Tag)
		known = append(known, language.MustParse(l.Tag))
		for _, pg := range append([]page{notFound}, sitemap...) {
			html, err := p.render(files, pg, l.Tag)
			if err != nil {
				return nil, fmt.Errorf("page %s in %s: %w", pg.name, l.Tag, err)
			}
			p.rendered[l.Tag+"/"+pg.name] = asset{"text/html; charset=utf-8", html, zip(html)}
		}
	}
	p.matcher = language.NewMatcher(known)
	return p, nil
}

// register adds the pages' routes, the one for everything unknown among them.
func (p *pages) register(mux *http.ServeMux) {
	for _, tag := range p.tags {
		for _, pg := range sitemap {
			mux.HandleFunc("GET /"+tag+"/"+pg.path+"{$}", func(w http.ResponseWriter, r *http.Request) {
				p.send(w, r, pg, tag)
			})
		}
		// The id of a match behind the path, not behind #: the page moves it there. It is as
		// public as in the API's addresses, and no log of ours has either.
		mux.HandleFunc("GET /"+tag+"/match/{match}", p.replay(tag))
	}
	for _, d := range p.downloads {
		mux.Handle("GET "+d.Path, d)
	}
	p.verifier.register(mux)
	mux.Handle("GET /assets/", p.assets)
	mux.HandleFunc("GET /{$}", p.choose)
	mux.HandleFunc("/", p.unknown)
}

// replay shows a match by its id; what cannot be one is an unknown address.
func (p *pages) replay(tag string) http.HandlerFunc {
	at := slices.IndexFunc(sitemap, func(pg page) bool { return pg.name == "replay" })
	return func(w http.ResponseWriter, r *http.Request) {
		if !matchID.MatchString(r.PathValue("match")) {
			p.unknown(w, r)
			return
		}
		p.send(w, r, sitemap[at], tag)
	}
}

var matchID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// choose leads to the home page in the language that the reader's browser asks for.
func (p *pages) choose(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Vary", "Accept-Language")
	w.Header().Set("Cache-Control", fresh)
	http.Redirect(w, r, "/"+p.preferred(r)+"/", http.StatusFound)
}

// preferred takes the matcher's index, since its tag carries what it was asked for
// along ("el-u-rg-grzzzz").
func (p *pages) preferred(r *http.Request) string {
	wanted, _, _ := language.ParseAcceptLanguage(r.Header.Get("Accept-Language")) // unreadable is no wish
	_, index, _ := p.matcher.Match(wanted...)
	return p.tags[index]
}

// unknown answers what no other route takes: a page in the language of the address,
// or else of the browser.
func (p *pages) unknown(w http.ResponseWriter, r *http.Request) {
	tag, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if !locale.Has(tag) {
		tag = p.preferred(r)
		w.Header().Set("Vary", "Accept-Language")
	}
	p.send(w, r, notFound, tag)
}

func (p *pages) send(w http.ResponseWriter, r *http.Request, pg page, tag string) {
	w.Header().Set("Cache-Control", fresh)
	w.Header().Set("Content-Language", tag)
	w.Header().Set("Content-Security-Policy", p.policy(pg, r))
	status := http.StatusOK
	if pg.name == notFound.name {
		status = http.StatusNotFound
	}
	p.rendered[tag+"/"+pg.name].send(w, r, status)
}

// policy fills in the address of the page's Go core. Without a core, or with a Host
// that cannot stand in a policy, nothing at all may be fetched.
func (p *pages) policy(pg page, r *http.Request) string {
	core := "'none'"
	if from, to := origin(p.origin, r), p.assets.cores[pg.core].address; from != "" && to != "" {
		core = from + to
	}
	return strings.Replace(everywhere+policies[pg.kind], "CORE", core, 1)
}

// A view is what a template sees.
type view struct {
	*locale.Printer
	page
	Lang      string
	Languages []viewLanguage
	Style     string
	OwnStyle  string // web/css/<name>.css, "" if the page has none
	Script    string
	Modules   []string
	Data      data
	Offers    []int    // numbers of seats that a table may have
	Phones    []int    // seats of the match on the page on how dice are made
	Fields    []string // of the form on the check page, in order
	Checkers  []download
}

type viewLanguage struct {
	Tag, Short, Name, Path string
	Current                bool
}

// data is what the server tells a page's script.
type data struct {
	Lang    string          `json:"lang"`
	Words   json.RawMessage `json:"words"`
	Version string          `json:"version"` // SHA-256 of all scripts and styles
	Core    string          `json:"core"`    // address of the Go core, "" if there is none
	CoreSum string          `json:"coreSum"` // its SHA-256
	Loader  string          `json:"loader"`  // address of the toolchain's wasm_exec.js
	Key     string          `json:"serverKey,omitempty"`
	Contact string          `json:"contact,omitempty"`
	Policy  string          `json:"policy,omitempty"` // of the public log, as phones pin it
	Games   json.RawMessage `json:"games,omitempty"`
}

// Say gives a message of the page's language.
func (v view) Say(key string, pairs ...any) string { return v.Text(key, pairs...) }

func (p *pages) render(files fs.FS, pg page, tag string) ([]byte, error) {
	t, err := template.ParseFS(files, "layout.html", "symbols.html", pg.name+".html")
	if err != nil {
		return nil, err
	}
	v := view{Printer: locale.For(tag), page: pg, Lang: tag, Style: p.assets.address("css/veridice.css"),
		Offers: []int{1, 2, 3, 4, 5, 6, 7, 8}, Phones: []int{1, 2}, Fields: []string{"server", "seal", "clients", "number", "recorded"}, Checkers: p.downloads}
	for _, l := range locale.Languages() {
		short := locale.For(l.Tag).Text("ui.language.short")
		v.Languages = append(v.Languages, viewLanguage{l.Tag, short, l.Name, "/" + l.Tag + "/" + pg.path, l.Tag == tag})
	}
	if own := "css/" + pg.name + ".css"; p.assets.scripts[own] != nil {
		v.OwnStyle = p.assets.address(own)
	}
	if pg.script {
		script := "app/" + pg.name + ".mjs"
		if v.Modules, err = p.assets.modules(script); err != nil {
			return nil, err
		}
		v.Script = p.assets.address(script)
		v.Data = data{Lang: tag, Words: locale.Catalogue(tag, pg.words...), Version: p.assets.version, Contact: p.contact}
		if pg.kind == tablePage {
			v.Data.Key, v.Data.Policy = p.serverKey, p.logPolicy
		}
		if core := p.assets.cores[pg.core]; core.address != "" {
			v.Data.Core, v.Data.CoreSum, v.Data.Loader = core.address, core.sum, p.assets.address("dist/wasm_exec.js")
		}
		if pg.core == gamesCore {
			if v.Data.Games, err = gameForms(); err != nil {
				return nil, err
			}
		}
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, "layout", v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
