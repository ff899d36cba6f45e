package server

import (
	"bytes"
	"encoding/json"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"sync"

	"veridice/docs"
)

// The reference page is made of docs/openapi.json when it is first asked for, and loads
// nothing but its style.

func (s *Server) referenceRoutes() []route {
	return []route{
		{"GET", "/v1/openapi.json", func(w http.ResponseWriter, r *http.Request) error {
			w.Header().Set("Cache-Control", fresh)
			w.Header().Set("Content-Type", "application/json")
			w.Write(docs.OpenAPI)
			return nil
		}},
		{"GET", "/v1/reference.css", func(w http.ResponseWriter, r *http.Request) error {
			w.Header().Set("Cache-Control", fresh)
			w.Header().Set("Content-Type", "text/css; charset=utf-8")
			w.Write([]byte(referenceStyle))
			return nil
		}},
		{"GET", "/v1/reference", func(w http.ResponseWriter, r *http.Request) error {
			page, err := referencePage()
			if err != nil {
				return err
			}
			w.Header().Set("Cache-Control", fresh)
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Content-Security-Policy", everywhere+"form-action 'none'")
			w.Write(page)
			return nil
		}},
	}
}

// A describedAPI is a part of OpenAPI 3.1, as far as docs/openapi.json uses it.
type describedAPI struct {
	Info struct{ Title, Summary, Description string }
	// Paths in the order of the document.
	Paths, Webhooks ordered[ordered[describedCall]]
	Components      struct {
		Schemas ordered[describedSchema]
	}
	Codes ordered[string] `json:"x-codes"` // of problems, with their titles
}

type describedCall struct {
	Summary, Description string
	Security             []map[string]any
	Parameters           []struct {
		Name, In, Description string
		Required              bool
		Schema                describedSchema
	}
	RequestBody struct {
		Content map[string]struct{ Schema describedSchema }
	}
	Responses ordered[struct {
		Description string
		Content     map[string]struct{ Schema describedSchema }
	}]
}

type describedSchema struct {
	Ref                  string `json:"$ref"`
	Type                 any
	Description, Pattern string
	Enum                 []any
	Minimum, Maximum     *json.Number
	Required             []string
	Properties           ordered[describedSchema]
	Items                *describedSchema
}

// ordered is an object whose names keep their order.
type ordered[T any] []named[T]

type named[T any] struct {
	Name  string
	Value T
}

// UnmarshalJSON reads an object.
func (o *ordered[T]) UnmarshalJSON(text []byte) error {
	var values map[string]T
	if err := json.Unmarshal(text, &values); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var skipped json.RawMessage
		if err := d.Decode(&skipped); err != nil {
			return err
		}
		*o = append(*o, named[T]{name.(string), values[name.(string)]})
	}
	return nil
}

// Kind writes what a value is, in a few words.
func (s describedSchema) Kind() string {
	var words []string
	switch t := s.Type.(type) {
	case string:
		words = append(words, t)
	case []any:
		for _, one := range t {
			if text, ok := one.(string); ok {
				words = append(words, text)
			}
		}
		words = []string{strings.Join(words, " or ")}
	}
	if s.Items != nil {
		words = append(words, "of", s.Items.Kind())
	}
	if s.Minimum != nil {
		words = append(words, "from", s.Minimum.String())
	}
	if s.Maximum != nil {
		words = append(words, "to", s.Maximum.String())
	}
	if s.Pattern != "" {
		words = append(words, s.Pattern)
	}
	return strings.Join(words, " ")
}

// Linked is the name of the schema that this one, or each of its items, is.
func (s describedSchema) Linked() string {
	if s.Ref == "" && s.Items != nil {
		return s.Items.Linked()
	}
	return strings.TrimPrefix(s.Ref, "#/components/schemas/")
}

// Needs reports whether a member must be there.
func (s describedSchema) Needs(name string) bool { return slices.Contains(s.Required, name) }

// referencePage makes the page once.
var referencePage = sync.OnceValues(func() ([]byte, error) {
	var api describedAPI
	if err := json.Unmarshal(docs.OpenAPI, &api); err != nil {
		return nil, err
	}
	var page bytes.Buffer
	err := referenceTemplate.Execute(&page, api)
	return page.Bytes(), err
})

var referenceTemplate = template.Must(template.New("reference").Funcs(template.FuncMap{
	"upper": strings.ToUpper,
	"id": func(method, path string) string {
		return method + strings.NewReplacer("/", "-", "{", "", "}", "", ".", "").Replace(path)
	},
}).Parse(`{{define "schema"}}{{with .Linked}}<a href="#schema-{{.}}">{{.}}</a> {{end}}{{with .Kind}}<span class="kind">{{.}}</span> {{end}}{{with .Enum}}<span class="kind">one of {{range $i, $v := .}}{{if $i}}, {{end}}<code>{{$v}}</code>{{end}}</span> {{end}}{{.Description}}{{end}}
{{define "members"}}{{$s := .}}<dl>{{range .Properties}}<dt><code>{{.Name}}</code>{{if not ($s.Needs .Name)}} <span class="kind">optional</span>{{end}}</dt><dd>{{template "schema" .Value}}{{if .Value.Properties}}{{template "members" .Value}}{{end}}{{with .Value.Items}}{{if .Properties}}{{template "members" .}}{{end}}{{end}}</dd>
{{end}}</dl>{{end}}
{{define "call"}}<p>{{.Summary}}. {{.Description}}{{range .Security}}{{range $name, $_ := .}} Authorization: Bearer, {{if eq $name "key"}}an API key{{else}}the token of a seat{{end}}.{{end}}{{end}}</p>
{{with .Parameters}}<h3>Parameters</h3>
<dl>{{range .}}<dt><code>{{.Name}}</code> <span class="kind">{{.In}}{{if not .Required}}, optional{{end}}</span></dt><dd>{{template "schema" .Schema}} {{.Description}}</dd>
{{end}}</dl>{{end}}
{{range .RequestBody.Content}}<h3>Body</h3>
{{if .Schema.Linked}}<p>{{template "schema" .Schema}}</p>{{else}}{{template "members" .Schema}}{{end}}{{end}}
<h3>Answers</h3>
<dl>{{range .Responses}}<dt><code>{{.Name}}</code></dt><dd>{{.Value.Description}}{{range $kind, $c := .Value.Content}} <span class="kind">{{$kind}}</span> {{template "schema" $c.Schema}}{{end}}</dd>
{{end}}</dl>
{{end}}<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>{{.Info.Title}} API</title>
<link rel="stylesheet" href="/v1/reference.css">
<main>
<h1>{{.Info.Title}} API</h1>
<p>{{.Info.Summary}}. The same for programs: <a href="/v1/openapi.json">openapi.json</a>.</p>
<p>{{.Info.Description}}</p>
<nav aria-label="Addresses"><ul>{{range $p := .Paths}}{{range .Value}}<li><a href="#{{id .Name $p.Name}}"><code>{{upper .Name}} {{$p.Name}}</code></a> {{.Value.Summary}}</li>
{{end}}{{end}}</ul></nav>
{{range $p := .Paths}}{{range .Value}}<section>
<h2 id="{{id .Name $p.Name}}"><code>{{upper .Name}} {{$p.Name}}</code></h2>
{{template "call" .Value}}</section>
{{end}}{{end}}
<h2>Webhooks</h2>
{{range $p := .Webhooks}}{{range .Value}}<section>
<h3>{{.Value.Summary}}</h3>
{{template "call" .Value}}</section>
{{end}}{{end}}
<h2>Codes of problems</h2>
<dl>{{range .Codes}}<dt><code>{{.Name}}</code></dt><dd>{{.Value}}</dd>
{{end}}</dl>
<h2>What bodies hold</h2>
{{range .Components.Schemas}}<section>
<h3 id="schema-{{.Name}}">{{.Name}}</h3>
<p>{{template "schema" .Value}}</p>
{{if .Value.Properties}}{{template "members" .Value}}{{end}}
</section>
{{end}}</main>
</html>
`))

const referenceStyle = `:root { color-scheme: light dark; font: 17px/1.5 system-ui, sans-serif }
body { margin: 0; overflow-wrap: anywhere }
main { max-width: 52rem; margin-inline: auto; padding: 1rem }
h2 { border-block-start: 1px solid; margin-block-start: 2.5rem; padding-block-start: 1rem; font-size: 1.2rem }
h3 { font-size: 1rem }
dl { margin: 0; padding-inline-start: 1rem }
dt { margin-block-start: .4rem }
dd { margin-inline-start: 1rem }
nav ul { list-style: none; padding: 0 }
nav a { display: inline-block; padding-block: .35rem }
.kind { opacity: .75 }
`
