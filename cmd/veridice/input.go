package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"

	"veridice/internal/cli"
	"veridice/record"
)

// An input is one INPUT of a command line.
type input struct {
	name string // of a file, "-", or "link" and its place among the operands
	text []byte
	err  error // why there is no text
}

// Errors of inputs. What the system says is put in words by [cli.Reason].
var (
	errNeither = errors.New("neither a link nor a file")
	errLarge   = errors.New("too large")
	errFolder  = errors.New("is a directory")
	errTwice   = errors.New("standard input was already read")
)

// A reader reads inputs, standard input at most once.
type reader struct {
	c     *cli.Call
	stdin bool // was read
}

// read takes an operand: an existing file first, since no link names one.
func (r *reader) read(operand string, place int) input {
	if operand == "-" {
		return input{name: operand}.with(r.standard())
	}
	if _, err := os.Stat(operand); err == nil {
		return input{name: operand}.with(file(operand))
	} else if looksLikeLink(operand) {
		return input{name: "link " + strconv.Itoa(place), text: []byte(operand)}
	} else if errors.Is(err, os.ErrNotExist) {
		return input{name: operand, err: errNeither}
	} else {
		return input{name: operand, err: err}
	}
}

// isNumber tells an operand that is meant as the number of a roll, and no file's name.
func isNumber(operand string) bool {
	_, err := strconv.ParseUint(operand, 10, 64)
	if err != nil {
		return false
	}
	_, err = os.Stat(operand)
	return errors.Is(err, os.ErrNotExist)
}

func (in input) with(text []byte, err error) input {
	in.text, in.err = text, err
	return in
}

func (r *reader) standard() ([]byte, error) {
	if r.stdin {
		return nil, errTwice
	}
	r.stdin = true
	return bounded(r.c.In)
}

// looksLikeLink recognises an operand that is meant as a share link, cut or
// mangled as it may be.
func looksLikeLink(operand string) bool {
	for _, sign := range []string{"#", "%23", "%3D"} {
		if strings.Contains(operand, sign) {
			return true
		}
	}
	operand = strings.TrimSpace(operand)
	return len(operand) > 1 && strings.ContainsRune("vscprg", rune(operand[0])) && operand[1] == '='
}

// file reads a file of any kind up to the size of the largest record. What is
// larger is not read to its end, as some files have none.
func file(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, errFolder
	}
	if info.Size() > record.MaxProof {
		return nil, errLarge
	}
	return bounded(f)
}

// bounded reads up to the size of the largest record, or of the largest proof file
// if it begins like one.
func bounded(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, record.MaxSize+1))
	if err != nil || len(text) <= record.MaxSize {
		return text, err
	}
	if !bytes.HasPrefix(text, []byte("veridice proof ")) {
		return nil, errLarge
	}
	rest, err := io.ReadAll(io.LimitReader(r, record.MaxProof-record.MaxSize))
	if text = append(text, rest...); err == nil && len(text) > record.MaxProof {
		return nil, errLarge
	}
	return text, err
}
