package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"veridice/checkpoint"
	"veridice/internal/witness"
	"veridice/seed"
)

const witnessUsage = `usage: veridiced witness [flags]          serve
       veridiced witness [flags] add KEY  know a log, by its policy line or the key in it
       veridiced witness [flags] key      print the witness's line for a policy

Checks that public logs only grow, and cosigns their heads (c2sp.org/tlog-witness).
It keeps one small file for each log, and a key file. Never restore them from a
backup, and never run two witnesses on them: it could sign two histories without
knowing.

  -data FOLDER   folder with its files (default ./witness), made if missing
  -name NAME     name of the witness, such as dice.example/witness: needed once,
                 when its key is made
  -addr ADDRESS  listen there (default localhost:8081)

Examples:
  veridiced witness -name club.example/witness key
  veridiced witness add log dice.example/log+cd54f9c1+AR1ArZGmDB/55RKnDc6j0jz2NuJU
  veridiced witness -addr :8081
`

// witness is "veridiced witness" and gives its exit code.
func (p *program) witness(ctx context.Context, args []string) int {
	var folder, name, addr string
	flags := flag.NewFlagSet("veridiced witness", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&folder, "data", "witness", "")
	flags.StringVar(&name, "name", "", "")
	flags.StringVar(&addr, "addr", "localhost:8081", "")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(p.stdout, witnessUsage)
		return 0
	case err != nil:
		return p.wrong(err.Error())
	}
	private()
	err := os.MkdirAll(folder, 0o700)
	if err == nil {
		switch rest := flags.Args(); {
		case len(rest) == 0:
			err = p.serveWitness(ctx, folder, name, addr)
		case len(rest) == 1 && rest[0] == "key":
			err = p.witnessKey(folder, name)
		case len(rest) >= 2 && rest[0] == "add":
			err = addLog(folder, strings.TrimPrefix(strings.Join(rest[1:], " "), "log "))
		default:
			return p.wrong("veridiced witness knows add KEY and key")
		}
	}
	var wrong usageError
	switch {
	case errors.As(err, &wrong):
		return p.wrong(wrong.Error())
	case err != nil:
		p.note("error: " + strings.TrimPrefix(err.Error(), "witness: "))
		return 1
	}
	return 0
}

func addLog(folder, text string) error {
	key, err := checkpoint.ParseKey(text)
	if err != nil {
		return usageError(strings.TrimPrefix(err.Error(), "checkpoint: "))
	}
	return witness.Add(folder, key)
}

func (p *program) witnessKey(folder, name string) error {
	signer, err := witnessSigner(folder, name)
	if err != nil {
		return err
	}
	key := signer.Key()
	fmt.Fprintf(p.stdout, "witness %s %s\n", key.Name, key)
	return nil
}

// witnessSigner reads the key file of a witness, or makes it if there is none and a
// name is given: the name, and 64 hex digits.
func witnessSigner(folder, name string) (checkpoint.Signer, error) {
	file := filepath.Join(folder, "witness.key")
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		if name == "" {
			return checkpoint.Signer{}, usageError("there is no key in " + folder + " yet: give the witness a -name")
		}
		var secret [32]byte
		rand.Read(secret[:]) // never fails
		signer, err := checkpoint.NewSigner(name, checkpoint.Cosigning, secret)
		if err != nil {
			return signer, usageError("-name takes a name such as club.example/witness, without blanks or a plus sign")
		}
		return signer, writeSecret(file, name+" "+seed.Hex(secret[:])+"\n")
	}
	if err != nil {
		return checkpoint.Signer{}, err
	}
	kept, digits, _ := strings.Cut(strings.TrimSuffix(string(text), "\n"), " ")
	secret, ok := seed.ParseHex(digits)
	if !ok || len(secret) != 32 {
		return checkpoint.Signer{}, errors.New(file + " does not hold a name and 64 hex digits")
	}
	if name != "" && name != kept {
		return checkpoint.Signer{}, errors.New("the witness in " + folder + " is named " + kept + " and keeps that name; another name is another witness")
	}
	return checkpoint.NewSigner(kept, checkpoint.Cosigning, [32]byte(secret))
}

// writeSecret writes a file that must not be there, durably.
func writeSecret(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err = f.WriteString(text); err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

func (p *program) serveWitness(ctx context.Context, folder, name, addr string) error {
	signer, err := witnessSigner(folder, name)
	if err != nil {
		return err
	}
	lock, err := witness.Lock(folder)
	if err != nil {
		return err
	}
	defer lock.Close()
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:     witness.New(folder, signer, time.Now, p.note),
		ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 8 << 10,
	}
	fmt.Fprintf(p.stdout, "http://%s/\n", listener.Addr())
	p.note("witness " + signer.Key().Name)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		stop, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		return server.Shutdown(stop)
	}
}
