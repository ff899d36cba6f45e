// Package vectors holds the test vectors of this project: facts about the
// schemes, one JSON object a line, for any implementation in any language. What
// the fields mean is in README.md. The *.ndjson files are made by gen/gen.py, an
// independent computation; a file of invalid/ holds a text with one fault.
package vectors

import (
	"bytes"
	"embed"
	"io/fs"
)

//go:embed *.ndjson invalid
var files embed.FS

// FS holds the vectors by their names in this folder.
func FS() fs.FS { return files }

// Files lists the names of the files that hold a vector a line.
func Files() []string {
	names, err := fs.Glob(files, "*.ndjson")
	if err != nil {
		panic("veridice: internal error: " + err.Error())
	}
	return names
}

// Lines gives the vectors of one file, an object each. It fails if there is no
// such file or it holds nothing: an empty corpus must not pass.
func Lines(name string) ([][]byte, error) {
	text, err := files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	for _, line := range lines {
		if len(line) == 0 || line[0] != '{' {
			return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
		}
	}
	return lines, nil
}
