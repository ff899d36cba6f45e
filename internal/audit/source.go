package audit

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Limits of what is read.
const (
	MaxLine   = 1 << 20 // bytes of a line
	chunkSize = 64 << 10
	endless   = 1 << 30 // a line of this length ends the file
)

// Codes of files.
const (
	Unreadable = "unreadable" // the system or a decompressor says why
	UTF16      = "utf-16"     // text of two bytes a character
	Endless    = "endless"    // a line without end
	CROnly     = "cr-only"    // lines that end with CR
	NoBets     = "no-bets"    // nothing to check
)

// A chunk is a part of a file: whole lines, or one that cannot be read.
type chunk struct {
	number int // of the chunk, over all files
	file   int
	line   int // number of its first line
	data   []byte
	csv    *header
	fault  *fault
	err    error // why the file ends here
	bytes  int64 // of the file as it is stored, read so far
}

// A splitter cuts a file into chunks.
type splitter struct {
	raw     *counter
	r       io.Reader
	closing func()
	err     error // why the file ends before its end
	eof     bool
	done    bool
	begun   bool
	rest    []byte
	line    int
	csv     *header
	skip    int64 // bytes so far of a line that is too long
}

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

func newSplitter(r io.Reader) *splitter {
	raw := &counter{r: r}
	s := &splitter{raw: raw, line: 1, closing: func() {}}
	buffered := bufio.NewReaderSize(raw, 64<<10)
	s.r = buffered
	magic, _ := buffered.Peek(4)
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(buffered)
		s.r, s.err = z, err
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20))
		if s.err = err; err == nil {
			s.r, s.closing = z, z.Close
		}
	}
	s.eof = s.err != nil
	return s
}

// next gives the next chunk, or false at the end of the file.
func (s *splitter) next(c *chunk) bool {
	for !s.done {
		s.fill(c)
		c.bytes = s.raw.n
		if s.done {
			s.closing()
		}
		if len(c.data) > 0 || c.fault != nil {
			return true
		}
	}
	return false
}

// fill reads the next chunk, which may be empty.
func (s *splitter) fill(c *chunk) {
	c.fault, c.err = nil, nil
	c.data = append(c.data[:0], s.rest...)
	s.rest = s.rest[:0]
	if s.eof && len(c.data) == 0 {
		if s.err != nil {
			c.line, c.fault, c.err = s.line, &fault{code: Unreadable}, s.err
		}
		s.done = true
		return
	}
	s.read(c)
	if s.skip > 0 {
		c.line = s.line
		s.skipOn(c)
		return
	}
	if !s.begun && len(c.data) > 0 {
		s.begun = true
		if c.fault = s.begin(c); c.fault != nil {
			c.data, c.line, s.done = c.data[:0], 1, true
			return
		}
	}
	c.line, c.csv = s.line, s.csv
	whole := len(c.data)
	if !s.eof || s.err != nil {
		if s.csv != nil {
			whole = s.records(c.data)
		} else {
			whole = bytes.LastIndexByte(c.data, '\n') + 1
		}
	}
	if s.err == nil {
		s.rest = append(s.rest, c.data[whole:]...)
	}
	c.data = c.data[:whole]
	s.line += bytes.Count(c.data, []byte{'\n'})
	if whole == 0 && len(s.rest) > MaxLine {
		s.skip = int64(len(s.rest))
		s.rest = s.rest[:0]
		c.fault = &fault{code: TooLong}
	}
}

// read adds to a chunk what comes next in the file.
func (s *splitter) read(c *chunk) {
	have := len(c.data)
	if cap(c.data) < have+chunkSize {
		c.data = append(make([]byte, 0, have+chunkSize), c.data...)
	}
	for n := 0; n < chunkSize && !s.eof; {
		m, err := s.r.Read(c.data[have+n : have+chunkSize])
		n += m
		c.data = c.data[:have+n]
		if err != nil {
			s.eof = true
			if !errors.Is(err, io.EOF) {
				s.err = err
			}
		}
	}
}

// skipOn passes over the rest of a line that is too long.
func (s *splitter) skipOn(c *chunk) {
	if end := bytes.IndexByte(c.data, '\n'); end >= 0 {
		s.skip = 0
		s.line++
		s.rest = append(s.rest, c.data[end+1:]...)
	} else if s.skip += int64(len(c.data)); s.skip > endless {
		c.fault, s.done = &fault{code: Endless}, true
	}
	c.data = c.data[:0]
}

// begin looks at the first bytes of a file: its marks and a header of CSV.
func (s *splitter) begin(c *chunk) *fault {
	if bytes.HasPrefix(c.data, []byte{0xff, 0xfe}) || bytes.HasPrefix(c.data, []byte{0xfe, 0xff}) {
		return &fault{code: UTF16}
	}
	c.data = bytes.TrimPrefix(c.data, []byte("\xef\xbb\xbf"))
	line, rest, found := bytes.Cut(c.data, []byte{'\n'})
	if begin := bytes.TrimLeft(line, " \t\r"); len(begin) == 0 || begin[0] == '{' {
		return nil
	}
	line = bytes.TrimSuffix(line, []byte{'\r'})
	if !found && bytes.IndexByte(line, '\r') >= 0 {
		return &fault{code: CROnly}
	}
	h, f := newHeader(line)
	if h != nil {
		s.csv, c.data = h, rest
		s.line++
	}
	return f
}

// records is the length of the whole records in data.
func (s *splitter) records(data []byte) int {
	if bytes.IndexByte(data, '"') < 0 {
		return bytes.LastIndexByte(data, '\n') + 1
	}
	n := 0
	for n < len(data) {
		m := record(data[n:], len(s.csv.columns), false)
		if m == 0 {
			break
		}
		n += m
	}
	return n
}
