package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"mime"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veridice/internal/apikey"
	"veridice/internal/publog"
)

// A description is docs/openapi.json, as far as the tests need it.
type description struct {
	Paths map[string]map[string]struct {
		OperationID string
		Responses   map[string]struct {
			Content map[string]struct{ Schema schema }
		}
	}
	Components struct{ Schemas map[string]schema }
	Codes      map[string]string `json:"x-codes"`
}

// A schema is JSON Schema, of which the description uses only this.
type schema struct {
	Ref                  string `json:"$ref"`
	Type                 any
	Properties           map[string]schema
	Required             []string
	AdditionalProperties *bool
	Items                *schema
	Enum                 []string
	Pattern              string
	Minimum              *float64
}

var described = sync.OnceValues(func() (*description, error) {
	text, err := os.ReadFile("../../docs/openapi.json")
	if err != nil {
		return nil, err
	}
	d := new(description)
	return d, json.Unmarshal(text, d)
})

// TestDescription holds the routes and the codes against the description; every
// answer in a script is held against it too.
func TestDescription(t *testing.T) {
	d, err := described()
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	names := map[string]bool{} // of functions in a client that is generated
	for path, methods := range d.Paths {
		for method, operation := range methods {
			got = append(got, strings.ToUpper(method)+" "+path)
			if id := operation.OperationID; names[id] || !regexp.MustCompile("^[a-z][A-Za-z]+$").MatchString(id) {
				t.Errorf("%s %s: the operationId is %q", method, path, id)
			}
			names[operation.OperationID] = true
		}
	}
	for _, r := range (&Server{publog: new(publog.Log), keys: new(apikey.Service)}).routes() {
		want = append(want, r.method+" "+r.path)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("described are\n%v\nserved are\n%v", got, want)
	}
	if got, want := d.Components.Schemas["Problem"].Properties["code"].Enum, slices.Sorted(maps.Keys(titles)); !slices.Equal(got, want) {
		t.Errorf("described are the codes\n%v\nserved are\n%v", got, want)
	}
	if diff := cmp.Diff(d.Codes, titles); diff != "" {
		t.Errorf("described are other titles than served (-described +served)\n%s", diff)
	}
}

// inPath is a parameter in a described path.
var inPath = regexp.MustCompile(`\{[a-z]+\}`)

// conforms compares an answer with the description. Addresses that are not in it
// and methods that an address does not take are answered outside of it.
func conforms(r *http.Request, status int, header http.Header, body []byte) error {
	d, err := described()
	if err != nil {
		return err
	}
	method := r.Method
	if method == http.MethodHead {
		method, body = http.MethodGet, nil
	}
	for path, methods := range d.Paths {
		pattern := "^" + inPath.ReplaceAllString(strings.ReplaceAll(path, "{path...}", ".+"), "[^/]+") + "$"
		if !regexp.MustCompile(pattern).MatchString(r.URL.Path) {
			continue
		}
		operation, ok := methods[strings.ToLower(method)]
		if !ok {
			continue
		}
		answer, ok := operation.Responses[fmt.Sprint(status)]
		if !ok {
			return fmt.Errorf("%s %s does not have the answer %d in its description", method, path, status)
		}
		kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
		if err != nil {
			return err
		}
		content, ok := answer.Content[kind]
		if !ok {
			return fmt.Errorf("%s %s: %d as %s is not described", method, path, status, kind)
		}
		if body == nil || !strings.HasSuffix(kind, "json") || kind == "application/x-ndjson" {
			return nil
		}
		return d.check(content.Schema, body)
	}
	return nil
}

func (d *description) check(s schema, text []byte) error {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	if err := once(json.NewDecoder(bytes.NewReader(text))); err != nil {
		return err
	}
	return d.fits(s, v, "the body")
}

// once reads a value in which no object has a member twice: readers would differ on
// which of them counts.
func once(d *json.Decoder) error {
	open, err := d.Token()
	if err != nil || open != json.Delim('{') && open != json.Delim('[') {
		return err
	}
	names := map[json.Token]bool{}
	for d.More() {
		if open == json.Delim('{') {
			name, err := d.Token()
			if err != nil {
				return err
			}
			if names[name] {
				return fmt.Errorf("a member %q stands twice", name)
			}
			names[name] = true
		}
		if err := once(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

func (d *description) fits(s schema, v any, where string) error {
	if s.Ref != "" {
		named, ok := d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
		if !ok {
			return fmt.Errorf("%s: there is no %s", where, s.Ref)
		}
		return d.fits(named, v, where)
	}
	kind := map[bool]string{true: "null"}[v == nil]
	switch x := v.(type) {
	case string:
		kind = "string"
		if s.Enum != nil && !slices.Contains(s.Enum, x) {
			return fmt.Errorf("%s: %q is none of %v", where, x, s.Enum)
		}
		if s.Pattern != "" && !regexp.MustCompile(s.Pattern).MatchString(x) {
			return fmt.Errorf("%s: %q is not %s", where, x, s.Pattern)
		}
	case bool:
		kind = "boolean"
	case float64:
		kind = "number"
		if x == math.Trunc(x) {
			kind = "integer"
		}
		if s.Minimum != nil && x < *s.Minimum {
			return fmt.Errorf("%s: %v is below %v", where, x, *s.Minimum)
		}
	case []any:
		kind = "array"
		for i, e := range x {
			if err := d.fits(*s.Items, e, fmt.Sprintf("%s[%d]", where, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		kind = "object"
		for _, name := range s.Required {
			if _, ok := x[name]; !ok {
				return fmt.Errorf("%s lacks %s", where, name)
			}
		}
		for name, e := range x {
			p, ok := s.Properties[name]
			if !ok {
				if s.AdditionalProperties != nil && !*s.AdditionalProperties {
					return fmt.Errorf("%s has %s, which is not described", where, name)
				}
				continue
			}
			if err := d.fits(p, e, where+"."+name); err != nil {
				return err
			}
		}
	}
	if one, ok := s.Type.(string); ok && one != kind {
		return fmt.Errorf("%s is %s, not %s", where, kind, one)
	}
	if several, ok := s.Type.([]any); ok && !slices.Contains(several, any(kind)) {
		return fmt.Errorf("%s is %s, not one of %v", where, kind, several)
	}
	return nil
}
