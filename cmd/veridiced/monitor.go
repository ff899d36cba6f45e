package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"veridice/checkpoint"
	"veridice/internal/monitor"
)

const monitorUsage = `usage: veridiced monitor [flags] LOG...

Follows public logs and lists what they show: missing numbers, matches that were
opened and never closed, closings that do not fit, and forks. A LOG is an address
that ends in /log, or a folder with the files of one.

  -policy FILE     the log's key and its witnesses (c2sp.org/tlog-policy); without
                   it no signature is checked
  -state FOLDER    keeps the last checkpoint of each log, so that a later run notices
                   a fork
  -records FOLDER  published records: each is compared with its closing
  -every DURATION  look again after this time, such as 1m, until interrupted
  -json            one JSON object a log
  -html FILE       also write a page

Exit codes: 0 no findings (matches may be running or given up), 1 findings, 2 wrong
command line, 3 a log could not be read.

Examples:
  veridiced monitor https://dice.example/log
  veridiced monitor -policy dice.policy -state ~/.veridice -every 5m https://dice.example/log
`

// A watch is the monitor's command line.
type watch struct {
	policy, state, records, html string
	every                        time.Duration
	json                         bool
}

// monitor is "veridiced monitor" and gives its exit code.
func (p *program) monitor(ctx context.Context, args []string) int {
	w := watch{}
	flags := flag.NewFlagSet("veridiced monitor", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&w.policy, "policy", "", "")
	flags.StringVar(&w.state, "state", "", "")
	flags.StringVar(&w.records, "records", "", "")
	flags.StringVar(&w.html, "html", "", "")
	flags.DurationVar(&w.every, "every", 0, "")
	flags.BoolVar(&w.json, "json", false, "")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(p.stdout, monitorUsage)
		return 0
	case err != nil:
		return p.wrong(err.Error())
	case flags.NArg() == 0:
		return p.wrong("veridiced monitor needs the address of a log")
	}
	code, err := w.run(ctx, flags.Args(), p.stdout, p.note)
	if err != nil {
		p.note("error: " + err.Error())
		return 3
	}
	return code
}

func (w watch) run(ctx context.Context, logs []string, out io.Writer, note func(string)) (int, error) {
	var policy *checkpoint.Policy
	if w.policy != "" {
		text, err := os.ReadFile(w.policy)
		if err != nil {
			return 0, err
		}
		if policy, err = checkpoint.ParsePolicy(text); err != nil {
			return 0, fmt.Errorf("the policy %s: %v", w.policy, err)
		}
	}
	followed := make([]*monitor.Log, len(logs))
	for i, where := range logs {
		followed[i] = monitor.New(monitor.Source(where), policy)
		if w.state == "" {
			continue
		}
		seen, err := os.ReadFile(w.kept(where))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = followed[i].Resume(seen)
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %v", w.kept(where), err)
		}
	}
	for {
		code := 0
		var reports []monitor.Report
		for i, where := range logs {
			if err := w.look(ctx, followed[i], where); err != nil {
				note("error: " + where + ": " + err.Error())
				code = 3
				continue
			}
			r := followed[i].Report(time.Now())
			if len(r.Findings) > 0 && code == 0 {
				code = 1
			}
			reports = append(reports, r)
			if err := w.print(out, r); err != nil {
				return 0, err
			}
		}
		if w.html != "" {
			var page strings.Builder
			if err := monitorPage.Execute(&page, reports); err != nil {
				return 0, err
			}
			if err := writeFile(w.html, []byte(page.String())); err != nil {
				return 0, err
			}
		}
		if w.every == 0 {
			return code, nil
		}
		select {
		case <-ctx.Done():
			return code, nil
		case <-time.After(w.every):
		}
	}
}

// kept is where the last checkpoint of a log is.
func (w watch) kept(where string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, where)
	return filepath.Join(w.state, name+".checkpoint")
}

func (w watch) look(ctx context.Context, l *monitor.Log, where string) error {
	if err := l.Update(ctx); err != nil {
		return err
	}
	if w.state != "" {
		if err := writeFile(w.kept(where), l.Last()); err != nil {
			return err
		}
	}
	if w.records == "" {
		return nil
	}
	return filepath.WalkDir(w.records, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) == ".ndjson" { // histories of pairs, which export puts there too
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil {
			err = l.Record(text)
		}
		if err != nil {
			return fmt.Errorf("%s: %v", path, err)
		}
		return nil
	})
}

func (w watch) print(out io.Writer, r monitor.Report) error {
	if w.json {
		return json.NewEncoder(out).Encode(r)
	}
	fmt.Fprintf(out, "%s: %d entries", r.Origin, r.Size)
	if r.Before > 0 {
		fmt.Fprintf(out, ", there by %s", stamp(r.Before))
	}
	if !r.Checked {
		fmt.Fprint(out, "; signatures not checked (-policy)")
	}
	fmt.Fprintln(out)
	for _, f := range r.Findings {
		fmt.Fprintln(out, "  "+findingWords(f))
		for _, n := range f.Notes {
			fmt.Fprintln(out, "    "+strings.ReplaceAll(strings.TrimSuffix(n, "\n"), "\n", "\n    "))
		}
	}
	fmt.Fprintf(out, "  %d matches are not closed yet\n", len(r.Open))
	for _, a := range r.Aborts {
		fmt.Fprintf(out, "  %d matches aborted by %s, %d of them with a roll pending\n", a.Matches, roleWords(a.Role), a.Pending)
	}
	return nil
}

func stamp(seconds int64) string { return time.Unix(seconds, 0).UTC().Format(time.RFC3339) }

func roleWords(role int) string {
	switch {
	case role < 0:
		return "nobody in particular"
	case role == 0:
		return "the server"
	}
	return fmt.Sprintf("seat %d", role)
}

func findingWords(f monitor.Finding) string {
	text := string(f.Kind)
	if f.Seq > 0 {
		text += fmt.Sprintf(" %d", f.Seq)
	}
	if f.Match != "" {
		text += ", match " + f.Match
	}
	if f.Index != nil {
		text += fmt.Sprintf(", entry %d", *f.Index)
	}
	if f.Since > 0 {
		text += ", since " + stamp(f.Since)
	}
	if f.Words != "" {
		text += ": " + f.Words
	}
	return text
}

var monitorPage = template.Must(template.New("monitor").Funcs(template.FuncMap{"finding": findingWords, "role": roleWords, "stamp": stamp}).Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Public logs · Veridice</title>
<style>
:root { color-scheme: light dark; font: 17px/1.5 system-ui, sans-serif }
body { max-width: 62rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere }
pre { white-space: pre-wrap; border: 1px solid; padding: .5rem }
table { border-collapse: collapse } td, th { text-align: left; padding: .2rem 1rem .2rem 0; vertical-align: top }
</style>
<h1>Public logs</h1>
{{range .}}<section>
<h2>{{.Origin}}</h2>
<p>{{.Size}} entries{{if .Before}}, there by {{stamp .Before}}{{end}}{{if not .Checked}}; signatures were not checked{{end}}.</p>
{{if .Findings}}<h3>Findings</h3>
<ul>{{range .Findings}}<li>{{finding .}}{{range .Notes}}<pre>{{.}}</pre>{{end}}</li>{{end}}</ul>
<p>These are facts about the log, not verdicts about people: an overdue match may be a broken server.</p>
{{else}}<p>No findings.</p>{{end}}
{{if .Aborts}}<h3>Given up</h3>
<table><tr><th scope="col">By</th><th scope="col">Matches</th><th scope="col">With a roll pending</th></tr>
{{range .Aborts}}<tr><td>{{role .Role}}</td><td>{{.Matches}}</td><td>{{.Pending}}</td></tr>
{{end}}</table>{{end}}
{{if .Open}}<h3>Not closed yet</h3>
<table><tr><th scope="col">Number</th><th scope="col">Match</th><th scope="col">Expires</th></tr>
{{range .Open}}<tr><td>{{.Seq}}</td><td>{{.Match}}</td><td>{{stamp .Expires}}</td></tr>
{{end}}</table>{{end}}
</section>
{{end}}</html>
`))
