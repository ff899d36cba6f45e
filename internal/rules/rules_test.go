// Package rules states which package may import which, and tests it.
package rules

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "veridice"

// policy lists every package in the order a roll passes through them. A package
// may import what stands after its colon and nothing else; of our own packages
// that is only what stands above it. "NAME = …" defines a set, "std" is the
// whole standard library, "-NAME" takes one package out again, and "game/*" is
// every package of that folder without a line of its own.
//
// Do not relax a line to make a build pass. Move the code, or change the
// architecture on purpose and say why in the same commit.
const policy = `
pure = bytes cmp crypto/hmac crypto/sha256 crypto/subtle encoding encoding/base64 encoding/binary
pure = errors hash io iter maps math/bits slices strconv strings unicode/utf8

.                 :
seed              : pure crypto/ed25519
scheme            : pure seed
scheme/foreign    : pure crypto/sha512 seed scheme
decimal           : pure
draw              : pure
game/*            : pure math decimal draw
game              : pure decimal draw game/*
roll              : pure seed scheme draw game/*
bet               : pure math seed scheme scheme/foreign decimal draw game/* game
record            : pure seed
verify            : pure crypto/ed25519 seed scheme scheme/foreign draw game/* game roll record
checkpoint        : pure crypto/ed25519 seed record verify golang.org/x/mod/sumdb/tlog
protocol          : pure crypto/ed25519 seed scheme draw game/* game roll record verify checkpoint golang.org/x/mod/sumdb/tlog
stats             : pure math/big decimal draw game/* game
vectors           : bytes embed io/fs

client            : std -database/sql                # for game servers of others: nothing of ours comes with it

core = seed scheme scheme/foreign decimal draw game/* game roll bet record verify protocol stats vectors

internal/lanes    : pure golang.org/x/sys/cpu
internal/bulk     : pure scheme draw internal/lanes

game/gametest     : std core
vectors/vectortest : std vectors
scheme/schemetest : std core
web               : embed io/fs
docs              : embed
internal/needs    : std
internal/selftest : std -net -net/http -database/sql core checkpoint golang.org/x/mod/sumdb/tlog
internal/locale   : std
internal/repeat   : context time
internal/cli      : std internal/locale
internal/match    : std -net -net/http -database/sql core golang.org/x/mod/sumdb/note
internal/ledger   : std -net -net/http -database/sql internal/match
internal/ledger/ledgertest : std internal/match internal/ledger
internal/pair     : std -net -net/http -database/sql core internal/match internal/ledger
internal/apikey   : std -net -net/http -database/sql core internal/match internal/ledger
internal/operator : std -net -net/http -database/sql internal/match internal/ledger
internal/hook     : std -database/sql core internal/match internal/ledger internal/operator internal/repeat
internal/keyring  : std -net -net/http -database/sql core internal/match internal/ledger internal/pair internal/hook
internal/keyring  : filippo.io/age filippo.io/age/armor filippo.io/age/plugin filippo.io/age/tag
internal/store/storetest : std core internal/match
internal/store/memory    : std core internal/match internal/ledger
internal/store/group     : std core internal/match internal/ledger
internal/store/sqlite    : std core internal/match internal/ledger internal/store/group github.com/ncruces/go-sqlite3
internal/store/postgres  : std core internal/match internal/ledger internal/store/group
internal/store/postgres  : github.com/jackc/pgx/v5 github.com/jackc/pgx/v5/pgconn github.com/jackc/pgx/v5/pgtype github.com/jackc/pgx/v5/pgxpool
internal/recheck  : std -net -net/http -database/sql core internal/match internal/ledger internal/pair golang.org/x/mod/sumdb/tlog
internal/publog   : std -database/sql core checkpoint internal/match internal/repeat golang.org/x/mod/sumdb/tlog
internal/monitor  : std -database/sql core checkpoint golang.org/x/mod/sumdb/tlog
internal/witness  : std -database/sql core checkpoint golang.org/x/mod/sumdb/tlog
internal/trace    : std -database/sql internal/match internal/ledger go.opentelemetry.io/otel go.opentelemetry.io/otel/attribute
internal/trace    : go.opentelemetry.io/otel/codes go.opentelemetry.io/otel/propagation go.opentelemetry.io/otel/trace go.opentelemetry.io/otel/sdk/resource
internal/trace    : go.opentelemetry.io/otel/sdk/trace go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp
internal/server   : std -database/sql core checkpoint web internal/locale internal/match internal/monitor internal/publog golang.org/x/text/language
internal/server   : docs github.com/VictoriaMetrics/metrics internal/ledger internal/pair internal/apikey internal/operator internal/hook
internal/audit    : std -net -net/http -database/sql core internal/bulk
internal/audit    : github.com/klauspost/compress/zstd gonum.org/v1/gonum/stat/distuv
internal/rules    :

cmd/veridice      : std core checkpoint internal/selftest internal/locale internal/cli golang.org/x/text/unicode/norm internal/audit
cmd/veridice      : github.com/cheggaaa/pb/v3
cmd/veridice-parquet : std github.com/parquet-go/parquet-go  # outside the offline promise
cmd/veridice-bench : std core internal/bulk internal/lanes internal/audit
cmd/veridice-wasm : pure crypto/ed25519 syscall/js core checkpoint
cmd/veridice-outcome-wasm : pure syscall/js core
cmd/veridiced     : std core checkpoint web internal/selftest internal/locale internal/cli internal/match internal/monitor internal/publog internal/recheck internal/server
cmd/veridiced     : internal/ledger internal/pair internal/apikey internal/operator internal/hook
cmd/veridiced     : internal/trace internal/store/memory internal/store/sqlite internal/store/postgres github.com/piglig/go-qr
cmd/veridiced     : internal/witness internal/keyring
`

// never names what may not stand anywhere below a package, whichever way it
// came in. "third-party" is all that is neither ours nor Go's.
const never = `
verify            : third-party net os/exec                         # anybody can check with Go alone
bet               : third-party net os/exec
cmd/veridice      : net net/http crypto/tls database/sql os/exec    # the offline tool has no network code
cmd/veridice      : testing                                         # nor code that is there for tests
cmd/veridice-wasm : net net/http encoding/json database/sql os/exec # offline too, and small
cmd/veridice-wasm : testing
cmd/veridice-wasm : veridice/game veridice/bet                      # games are a program of their own
cmd/veridice-outcome-wasm : net net/http encoding/json database/sql os/exec testing
cmd/veridiced     : testing
`

// systems are the builds whose imports are read.
var systems = [][]string{{"GOOS=linux"}, {"GOOS=windows"}, {"GOOS=js", "GOARCH=wasm"}}

// TestImports compares every import with the policy, and the policy with the tree.
func TestImports(t *testing.T) {
	rules, order := parse(policy)
	used := map[string]bool{}
	for _, env := range systems {
		for _, p := range list(t, env) {
			line := rules.line(p.name())
			if line == "" {
				t.Errorf("%s: package %s has no line in the policy", env[0], p.name())
				continue
			}
			used[line] = true
			for _, imp := range p.Imports {
				if !rules.allow(line, imp) {
					t.Errorf("%s: %s must not import %s", env[0], p.name(), imp)
				}
			}
		}
	}
	for i, line := range order {
		if !used[line] {
			t.Errorf("the policy names %s, which does not exist", line)
		}
		for _, may := range rules[line] {
			if slices.Index(order, may) >= i {
				t.Errorf("the policy lets %s import %s, which does not stand above it", line, may)
			}
		}
	}
}

// TestNever looks at everything a package is built from, not only at its own imports.
func TestNever(t *testing.T) {
	bans, order := parse(never)
	for _, line := range order {
		var std []string
		for _, ban := range bans[line] {
			if ban != "third-party" {
				std = append(std, ban)
			}
		}
		// A ban on a package that is gone would pass for ever.
		if out, err := exec.Command("go", append([]string{"list"}, std...)...).CombinedOutput(); err != nil {
			t.Errorf("%s: %s", line, out)
		}
	}
	seen := map[string]bool{}
	for _, env := range systems {
		for _, p := range list(t, env) {
			seen[p.name()] = true
			for _, dep := range p.Deps {
				if slices.Contains(bans[p.name()], dep) || thirdParty(dep) && slices.Contains(bans[p.name()], "third-party") {
					t.Errorf("%s: %s is built from %s", env[0], p.name(), dep)
				}
			}
		}
	}
	for _, line := range order {
		if !seen[line] {
			t.Errorf("never names %s, which does not exist", line)
		}
	}
}

var specifier = regexp.MustCompile(`(?m)^\s*(?:import|export)\b(?:[^'";=(]*\bfrom)?\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]`)

// forbidden holds for every script of the pages, and so does tooNew, which names what
// Safari 17.0 does not have; guessable holds for those that do not stand in mayGuess, pure for the verifier, which must not reach anything but its
// arguments. Comments may name what code may not.
var (
	comment   = regexp.MustCompile(`(?m)^\s*(//|\*|/\*).*$|\s//\s.*$`)
	forbidden = regexp.MustCompile(`\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function)`)
	tooNew    = regexp.MustCompile(`\b(checkVisibility|requestIdleCallback|startViewTransition|setHTML|URLPattern|scheduler\.|` +
		`(Object|Map)\.groupBy|Promise\.(try|withResolvers)|Array\.fromAsync|Uint8Array\.from(Hex|Base64)|RegExp\.escape|Iterator\.|` +
		`(keys|values|entries)\(\)\.\w|is(Subset|Superset|Disjoint)\w+\()`)
	guessable = regexp.MustCompile(`\bMath\.random\b`)
	pure      = regexp.MustCompile(`\b(fetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|localStorage|sessionStorage|indexedDB|document\.|Date\b)`)
)

// mayGuess lists the scripts that may use Math.random, with the reason.
var mayGuess = map[string]string{
	"app/table.mjs": "spreads the moments at which phones connect again",
}

// TestScripts keeps the second implementation independent of the page and of
// the Go core, and every script free of code from elsewhere.
func TestScripts(t *testing.T) {
	web, read := os.DirFS("../../web"), map[string]int{}
	err := fs.WalkDir(web, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".mjs" {
			return err
		}
		text, err := fs.ReadFile(web, name)
		if err != nil {
			return err
		}
		top, _, _ := strings.Cut(name, "/")
		read[top]++
		code := comment.ReplaceAll(text, nil)
		if bad := forbidden.Find(code); bad != nil && top != "test" {
			t.Errorf("web/%s uses %s", name, bad)
		}
		if bad := tooNew.Find(code); bad != nil && top != "test" {
			t.Errorf("web/%s uses %s", name, bad)
		}
		if bad := guessable.Find(code); bad != nil && top != "test" && mayGuess[name] == "" {
			t.Errorf("web/%s uses %s", name, bad)
		}
		if bad := pure.Find(code); bad != nil && top == "verifier" {
			t.Errorf("web/%s uses %s", name, bad)
		}
		for _, m := range specifier.FindAllStringSubmatch(string(text), -1) {
			if from := m[1] + m[2]; !mayImport(name, from) {
				t.Errorf("web/%s must not import %s", name, from)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"app", "verifier", "test"} {
		if read[folder] == 0 {
			t.Errorf("no script of web/%s found: the test read nothing of it", folder)
		}
	}
}

// mayImport says whether a script may import from a specifier: the verifier only
// itself, the page also the verifier and code by others, and tests all of them and
// what Node brings.
func mayImport(name, from string) bool {
	top, _, _ := strings.Cut(name, "/")
	if strings.HasPrefix(from, "node:") {
		return top == "test"
	}
	if !strings.HasPrefix(from, "./") && !strings.HasPrefix(from, "../") {
		return false
	}
	switch to, _, _ := strings.Cut(path.Join(path.Dir(name), from), "/"); to {
	case top:
		return true
	case "verifier", "vendor":
		return top == "app" || top == "test"
	case "app":
		return top == "test"
	}
	return false
}

// TestMayImport breaks the rules on purpose.
func TestMayImport(t *testing.T) {
	for _, c := range []struct {
		name, from string
		want       bool
	}{
		{"verifier/verify.mjs", "./scheme.mjs", true},
		{"verifier/verify.mjs", "../app/dom.mjs", false},
		{"verifier/verify.mjs", "../../../elsewhere.mjs", false},
		{"verifier/verify.mjs", "node:crypto", false},
		{"verifier/verify.mjs", "https://example.com/sha256.mjs", false},
		{"app/check.mjs", "../verifier/verify.mjs", true},
		{"app/check.mjs", "../test/fakes.mjs", false},
		{"app/check.mjs", "sha256", false},
		{"app/qr.mjs", "../vendor/qr/index.js", true},
		{"verifier/verify.mjs", "../vendor/qr/index.js", false},
		{"test/check.test.mjs", "node:test", true},
		{"test/check.test.mjs", "../app/check.mjs", true},
	} {
		if got := mayImport(c.name, c.from); got != c.want {
			t.Errorf("%s from %s: got %v, want %v", c.from, c.name, got, c.want)
		}
	}
	for _, line := range []string{
		`import { a } from "./a.mjs"`, `export { a } from './a.mjs'`, `import "./a.mjs"`, `  const m = await import("./a.mjs")`,
	} {
		if m := specifier.FindStringSubmatch(line); m == nil || m[1]+m[2] != "./a.mjs" {
			t.Errorf("the specifier of %s is not seen", line)
		}
	}
}

// A pkg is what "go list" says of one of our packages.
type pkg struct {
	ImportPath    string
	Imports, Deps []string
}

func (p pkg) name() string { return local(p.ImportPath) }

// local gives the name of one of our packages in the policy, or "".
func local(imp string) string {
	if imp == module {
		return "."
	}
	name, ours := strings.CutPrefix(imp, module+"/")
	if !ours {
		return ""
	}
	return name
}

// thirdParty relies on the rule that only Go's own paths and ours have no dot
// in the first element.
func thirdParty(imp string) bool {
	first, _, _ := strings.Cut(imp, "/")
	return strings.Contains(first, ".")
}

func list(t *testing.T, env []string) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,Deps", "./...")
	cmd.Dir = "../.."
	cmd.Env = append(cmd.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var pkgs []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

// A lines value maps a line of the policy to what stands after its colon.
type lines map[string][]string

// parse reads the text form of policy and never, and keeps the order of lines.
func parse(text string) (lines, []string) {
	sets, rules, order := lines{}, lines{}, []string(nil)
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if name, members, ok := strings.Cut(line, "="); ok {
			name = strings.TrimSpace(name)
			sets[name] = append(sets[name], strings.Fields(members)...)
		} else if name, may, ok := strings.Cut(line, ":"); ok {
			name = strings.TrimSpace(name)
			if !slices.Contains(order, name) {
				order = append(order, name)
			}
			for _, m := range strings.Fields(may) {
				if members, ok := sets[m]; ok {
					rules[name] = append(rules[name], members...)
				} else {
					rules[name] = append(rules[name], m)
				}
			}
			if rules[name] == nil {
				rules[name] = []string{}
			}
		}
	}
	return rules, order
}

// line finds the line that holds for one of our packages: its own, or its folder's.
func (r lines) line(name string) string {
	if _, ok := r[name]; ok {
		return name
	}
	if folder := path.Dir(name) + "/*"; r[folder] != nil {
		return folder
	}
	return ""
}

func (r lines) allow(line, imp string) bool {
	may := r[line]
	switch name := local(imp); {
	case slices.Contains(may, "-"+imp):
		return false
	case name != "":
		own := r.line(name)
		return own != "" && slices.Contains(may, own)
	case !thirdParty(imp) && slices.Contains(may, "std"):
		return true
	}
	return slices.Contains(may, imp)
}
