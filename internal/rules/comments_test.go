package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPackageComments wants exactly one comment for each package, whatever
// system its files are for. Packages that are tests alone have it there.
func TestPackageComments(t *testing.T) {
	root, comments := os.DirFS("../.."), map[string]int{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		test := strings.HasSuffix(name, "_test.go")
		key := path.Dir(name)
		if test && strings.HasSuffix(f.Name.Name, "_test") {
			if hasComment(f) {
				t.Errorf("%s: a package comment in a test of another package", name)
			}
			return nil
		}
		if _, seen := comments[key]; !seen {
			comments[key] = 0
		}
		if hasComment(f) {
			comments[key]++
			if want := "Package " + f.Name.Name + " "; f.Name.Name != "main" && !strings.HasPrefix(f.Doc.Text(), want) {
				t.Errorf("%s: the comment does not begin with %q", name, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, n := range comments {
		if n != 1 {
			t.Errorf("%s has %d package comments, want 1", dir, n)
		}
	}
	if len(comments) < 10 {
		t.Errorf("only %d packages found", len(comments))
	}
}

// hasComment reports whether a file has a package comment. A directive, such as
// a line for the compiler, is not one.
func hasComment(f *ast.File) bool { return f.Doc != nil && f.Doc.Text() != "" }

var (
	named   = regexp.MustCompile(`\bdocs/[a-z0-9/-]+\.(?:md|json)\b(?:,(?:\n\s*(?://|\*))? "([^"]+)")?`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	wrapped = regexp.MustCompile(`\n\s*(?://|\*) ?`)
)

// TestNamedDocuments wants every document that a source names to be there, and in
// it the heading that stands in quotation marks behind its name.
func TestNamedDocuments(t *testing.T) {
	root, n := os.DirFS("../.."), 0
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if ext := path.Ext(name); ext != ".go" && ext != ".mjs" && ext != ".py" && ext != ".txtar" || name == "internal/rules/comments_test.go" {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			file, _, _ := strings.Cut(m[0], ",")
			n++
			page, missing := fs.ReadFile(root, file)
			switch {
			case missing != nil:
				t.Errorf("%s names %s, which is not there", name, file)
			case m[1] != "" && !slices.ContainsFunc(heading.FindAllStringSubmatch(string(page), -1), func(h []string) bool { return h[1] == wrapped.ReplaceAllString(m[1], " ") }):
				t.Errorf("%s names %q of %s, which has no such heading", name, m[1], file)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 50 {
		t.Errorf("only %d names found", n)
	}
}

// reference is a place in a specification that a comment names, on one line.
var reference = regexp.MustCompile(`docs/spec/([a-z0-9-]+\.md), (?:"([^"]+)"|sections? ([0-9.]*[0-9]))`)

// TestReferences: a title or number of a section that a comment names is there.
func TestReferences(t *testing.T) {
	root, found := os.DirFS("../.."), 0
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".go" {
			return err
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		flat := regexp.MustCompile(`\n\t*// ?`).ReplaceAllString(string(text), " ")
		for _, m := range reference.FindAllStringSubmatch(flat, -1) {
			spec, err := fs.ReadFile(root, "docs/spec/"+m[1])
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			found++
			want := `(?m)^##+ ` + regexp.QuoteMeta(m[2]) + `$`
			if m[3] != "" {
				want = `(?m)^##+ ` + regexp.QuoteMeta(m[3]) + `[. ]`
			}
			if !regexp.MustCompile(want).Match(spec) {
				t.Errorf("%s: docs/spec/%s has no section %s%s", name, m[1], m[2], m[3])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 20 {
		t.Errorf("found %d references", found)
	}
}

// TestSkipsAreHeard: only package needs leaves a test out, since it says so aloud, and fails
// where everything must run.
func TestSkipsAreHeard(t *testing.T) {
	skips, found := regexp.MustCompile(`\bt\.(Skip|Skipf|SkipNow)\(`), 0
	err := fs.WalkDir(os.DirFS("../.."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".go" || name == "internal/rules/comments_test.go" {
			return err
		}
		text, err := os.ReadFile("../../" + name)
		if !skips.Match(text) {
			return err
		}
		if path.Dir(name) == "internal/needs" {
			found++
		} else {
			t.Errorf("%s skips by itself; internal/needs does that", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if found == 0 {
		t.Error("no skip was found, not even in internal/needs")
	}
}
