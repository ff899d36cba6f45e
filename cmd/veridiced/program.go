package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"veridice/internal/match"
	"veridice/internal/selftest"
	"veridice/internal/server"
	"veridice/internal/store/postgres"
	"veridice/internal/store/sqlite"
	"veridice/internal/trace"
	"veridice/web"
)

// graceful is how long requests may go on after the end was asked for.
const graceful = 10 * time.Second

// A program is the server with its wiring. Tests make their own, on port 0.
type program struct {
	addr, data, db, keyFile, key, origin, contact, proxies, level string // as given; "" for the default
	policy, logNamed, cors, webhooks, metrics, identity           string
	args                                                          []string // behind the flags
	unwitnessed                                                   bool     // nobody cosigns the log

	stdout, stderr io.Writer
	entropy        match.Entropy // nil for the operating system's
	clock          match.Clock   // nil for the machine's
	vectors        func(file string) ([][]byte, error)

	// ready is called, if set, with the address it listens on.
	ready func(net.Addr)
}

// serve runs until ctx is done.
func (p *program) serve(ctx context.Context) error {
	private()
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	log, err := p.log()
	if err != nil {
		return err
	}
	if p.origin != "" && !server.ValidOrigin(p.origin) {
		return usageError("-origin takes an address such as https://dice.example, with nothing behind the host or port")
	}
	if p.contact != "" && !server.ValidContact(p.contact) {
		return usageError("-contact takes a mail address, or a web address without a query, such as https://dice.example/contact")
	}
	proxies, err := prefixes(p.proxies)
	if err != nil {
		return err
	}
	if result, err := selftest.Run(p.vectors, selftest.Start); err != nil {
		return fmt.Errorf("the self-test failed, so nothing is served: %v", err)
	} else if len(result.Failed) > 0 {
		return fmt.Errorf("the self-test failed, so nothing is served: %s", strings.Join(result.Failed, ", "))
	}
	store, vault, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	tracer, err := trace.Start(ctx, log)
	if err != nil {
		return err
	}
	served := store
	if tracer != nil {
		defer tracer.Stop()
		served = tracer.Store(store.(trace.Store))
	}
	service := match.New(served, vault, p.time(), p.random())
	if err := service.CheckKey(ctx); err != nil {
		return fmt.Errorf("the key does not fit the database: %v", err)
	}
	public, err := p.publicLog(ctx, store, service, log)
	if err != nil {
		return err
	}
	if p.unwitnessed {
		p.note("no witness cosigns the log (-policy FILE names some): its receipts give no time, and only this server vouches for them")
	}
	options := server.Options{Match: service, Log: log, Files: web.Files, Origin: p.origin, Contact: p.contact, Proxies: proxies, PublicLog: public}
	if tracer != nil {
		options.Trace = tracer.Request
	}
	hooks, err := p.operators(&options, served, vault, log)
	if err != nil {
		return err
	}
	s, err := server.New(options)
	if err != nil {
		return err
	}
	addr := p.addr
	if addr == "" {
		addr = "localhost:8080"
		p.note("listening on loopback only; -addr :8080 lets other machines in the network in")
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	if p.metrics != "" {
		stop, err := p.measure(s)
		if err != nil {
			return errors.Join(err, l.Close())
		}
		defer stop()
	}
	p.announce(addr, l.Addr())
	if p.ready != nil {
		p.ready(l.Addr())
	}
	publishing, stop := context.WithCancel(context.WithoutCancel(ctx)) // requests that end need their receipts
	var working sync.WaitGroup
	working.Go(func() { public.Run(publishing) })
	working.Go(func() { hooks.Run(publishing) })
	go p.rereads(publishing, hangups, store, vault, log) // a plugin that hangs does not keep the end
	err = s.Serve(ctx, l, graceful)
	stop()
	working.Wait()
	if closed := store.Close(); err == nil {
		err = closed
	}
	return err
}

// random is the source of secrets.
func (p *program) random() match.Entropy {
	if p.entropy != nil {
		return p.entropy
	}
	return rand.Reader
}

func (p *program) time() match.Clock {
	if p.clock != nil {
		return p.clock
	}
	return match.System{}
}

// init makes a database and a key file that are not there yet.
func (p *program) init(ctx context.Context) error {
	private()
	dbPath, keyPath, err := p.paths()
	if err != nil {
		return err
	}
	if postgres.Is(p.db) {
		return p.initPostgres(ctx, keyPath)
	}
	if _, err := os.Lstat(dbPath); err == nil {
		return errors.New("the database exists already: " + dbPath)
	}
	if err := os.MkdirAll(filepath.Dir(dbPath), 0o700); err != nil {
		return err
	}
	if err := p.makeOrReadKey(keyPath); err != nil {
		return err
	}
	store, err := sqlite.Create(dbPath)
	if err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, dbPath)
	return store.Close()
}

// paths gives the database, a file or an address, and the file of the key.
func (p *program) paths() (db, key string, err error) {
	if isAddress(p.db) && !postgres.Is(p.db) {
		return "", "", usageError("-db takes the path of a SQLite file, or an address such as postgres://user@host/database")
	}
	data := p.data
	if data == "" {
		data = "data"
	}
	db, key = p.db, p.keyFile
	if db == "" {
		db = filepath.Join(data, "veridice.db")
	}
	if key == "" {
		key = filepath.Join(data, "veridice.key")
	}
	return db, key, nil
}

// open opens database and key. What was not named is made when it is missing; a
// missing key beside a database is not made anew, since no match in it could go on.
func (p *program) open(ctx context.Context) (match.Store, *match.Vault, error) {
	dbPath, keyPath, err := p.paths()
	if err != nil {
		return nil, nil, err
	}
	if postgres.Is(p.db) {
		return p.openPostgres(ctx, keyPath)
	}
	_, err = os.Stat(dbPath)
	there := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	if !there && p.db != "" {
		return nil, nil, errors.New("there is no database " + dbPath + "; make one with: veridiced init -db " + dbPath)
	}
	if p.data == "" && p.db == "" {
		p.note("keeping database and key in ./data")
	}
	if !there {
		if err := os.MkdirAll(filepath.Dir(dbPath), 0o700); err != nil {
			return nil, nil, err
		}
	}
	if _, err := os.Stat(keyPath); p.key == "" && errors.Is(err, fs.ErrNotExist) {
		switch {
		case p.keyFile != "":
			return nil, nil, errors.New("there is no key file " + keyPath + "; make one with: veridiced init")
		case there:
			return nil, nil, errors.New("the database " + dbPath + " is there, but its key file " + keyPath + " is not")
		}
		if err := p.makeKey(keyPath); err != nil {
			return nil, nil, err
		}
		p.note("made the key file " + keyPath + "; without it no running match can go on")
	}
	vault, err := p.vault(keyPath)
	if err != nil {
		return nil, nil, err
	}
	open := sqlite.Open
	if !there {
		open = sqlite.Create
		p.note("made the database " + dbPath)
	}
	store, err := open(dbPath)
	if err != nil {
		return nil, nil, err
	}
	return store, vault, nil
}

// prefixes reads addresses and networks with commas between them.
func prefixes(list string) ([]netip.Prefix, error) {
	var all []netip.Prefix
	for part := range strings.SplitSeq(list, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		network, err := netip.ParsePrefix(part)
		if ip, bare := netip.ParseAddr(part); bare == nil {
			network, err = netip.PrefixFrom(ip, ip.BitLen()), nil
		}
		if err != nil {
			return nil, usageError("-trusted-proxy takes addresses or networks such as 10.0.0.0/8, separated by commas")
		}
		all = append(all, network)
	}
	return all, nil
}

func (p *program) log() (*slog.Logger, error) {
	var level slog.Level
	if p.level != "" {
		if err := level.UnmarshalText([]byte(p.level)); err != nil {
			return nil, usageError("-log takes debug, info, warn or error")
		}
	}
	return slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: level})), nil
}
