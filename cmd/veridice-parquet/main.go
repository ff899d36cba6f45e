// Command veridice-parquet prints a Parquet file of bets as NDJSON, for veridice
// audit to read. It stands apart because the Parquet library links network code:
//
//	veridice-parquet bets.parquet | veridice audit -
//
// Columns are named as the fields of vectors/README.md; params and want are
// groups, or flat columns named params.rows, want.slot and so on.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

const usage = `usage: veridice-parquet FILE

Prints a Parquet file of bets as NDJSON, for veridice audit to read. Columns are
named as the fields of docs/audit.md; params and want are groups, or flat columns
named params.rows, want.slot and so on.

Exit code: 0 done, 2 a wrong command line, 3 the file cannot be read.

example:
  veridice-parquet bets.parquet | veridice audit -
`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 1 && slices.Contains([]string{"-h", "-help", "--help"}, args[0]) {
		fmt.Fprint(stdout, usage)
		return 0
	}
	if len(args) != 1 {
		fmt.Fprintln(stderr, "veridice-parquet: error: give one FILE")
		return 2
	}
	if err := convert(stdout, args[0]); err != nil {
		fmt.Fprintln(stderr, "veridice-parquet: error: "+args[0]+": "+err.Error())
		return 3
	}
	return 0
}

// convert prints the rows of a file, one a line.
func convert(out io.Writer, name string) (err error) {
	// The library panics on some files that are damaged.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cannot be read: %v", r)
		}
	}()
	f, err := os.Open(name)
	if err != nil {
		if e, ok := err.(*os.PathError); ok {
			err = e.Err
		}
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	file, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(out, 64<<10)
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	reader := parquet.NewGenericReader[any](file)
	defer reader.Close()
	rows := make([]any, 256)
	for {
		n, err := reader.Read(rows)
		for _, row := range rows[:n] {
			columns, ok := row.(map[string]any)
			if !ok {
				return errors.New("has no named columns")
			}
			if err := lines.Encode(bet(columns)); err != nil {
				return err
			}
		}
		clear(rows)
		if errors.Is(err, io.EOF) || n == 0 && err == nil {
			return w.Flush()
		}
		if err != nil {
			return err
		}
	}
}

// bet puts flat columns such as want.slot into their objects, and leaves out
// what is null.
func bet(columns map[string]any) map[string]any {
	b := map[string]any{"params": map[string]any{}, "want": map[string]any{}}
	for name, v := range columns {
		if v = value(v); v == nil {
			continue
		}
		group, key, flat := strings.Cut(name, ".")
		if into, ok := b[group].(map[string]any); ok && flat {
			into[key] = v
		} else if fields, ok := v.(map[string]any); ok && (name == "params" || name == "want") {
			maps.Copy(b[name].(map[string]any), fields)
		} else {
			b[name] = v
		}
	}
	return b
}

// value makes text of byte arrays and drops nulls.
func value(v any) any {
	switch v := v.(type) {
	case []byte:
		if v == nil {
			return nil
		}
		return string(v)
	case map[string]any:
		for name, e := range v {
			if e = value(e); e == nil {
				delete(v, name)
			} else {
				v[name] = e
			}
		}
	case []any:
		for i, e := range v {
			v[i] = value(e)
		}
	}
	return v
}
