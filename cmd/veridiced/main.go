// Veridiced is the server: matches, their pages and their API.
//
// With no flags it keeps its database and its key in ./data, listens on loopback
// and says on standard error what it chose by itself. "veridiced init" makes a
// database and a key elsewhere.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"veridice/vectors"
)

const usage = `usage: veridiced [flags]         serve
       veridiced init [flags]    make a database and a key file
       veridiced check [flags]   recompute every match, every draw and all numbering;
                                 exit code 1 at the first fault
       veridiced export [flags] FOLDER
                                 write the records of all finished matches and the
                                 draws of all revealed seed pairs
       veridiced backup [flags] FILE
                                 copy a SQLite database, also while it is served
       veridiced migrate [flags] bring the database to this version
       veridiced key [flags] create OPERATOR SCOPE...
                                 make an API key for a game server and print it; the
                                 scopes are pairs, matches, hooks, and pairs:read and
                                 matches:read for programs that only look
       veridiced key [flags] list
       veridiced key [flags] revoke ID
       veridiced key [flags] encrypt [RECIPIENT...]
                                 write the key file encrypted with age, to FILE.age,
                                 for the recipients or for those of -key-identity
       veridiced key [flags] rewrap
                                 encrypt all secrets in the database under the first
                                 line of the key file, also while it is served
       veridiced key [flags] status
                                 show which lines of the key file are still needed
       veridiced log [flags] export FOLDER
                                 write the public log as static files
       veridiced log [flags] key print the log's line for a policy
       veridiced log [flags] new NAME
                                 begin another log after a part of this one was lost;
                                 no server may be running
       veridiced monitor LOG...  follow public logs and list what they show; see
                                 veridiced monitor -help
       veridiced witness         cosign public logs; see veridiced witness -help

  -addr ADDRESS       listen there (VERIDICE_ADDR; default localhost:8080).
                      :8080 lets other machines in the network in
  -data FOLDER        folder for database and key (VERIDICE_DATA; default ./data)
  -db FILE            SQLite database, which must exist (VERIDICE_DB; default
                      veridice.db in the data folder, made if missing); or the
                      address of a PostgreSQL database for any number of nodes,
                      postgres://user@host/database, with the tables that
                      veridiced init or migrate makes
  -key-file FILE      key for the secrets in the database (VERIDICE_KEY_FILE;
                      default veridice.key in the data folder): 64 hex digits a
                      line; the first line encrypts, all of them decrypt. The
                      file may be encrypted with age. VERIDICE_KEY may hold the
                      key itself; there is no flag for it, since others can see
                      a program's arguments
  -key-identity FILE  age identity that opens an encrypted key file
                      (VERIDICE_KEY_IDENTITY): AGE-SECRET-KEY-1..., or
                      AGE-PLUGIN-NAME-1... with the program age-plugin-NAME in
                      the path, for a hardware token, a TPM or a cloud's KMS
  -origin URL         where readers see the pages, such as https://dice.example
                      (VERIDICE_ORIGIN; default: the host of each request)
  -contact ADDRESS    mail or web address that the check page shows beside a
                      mismatch (VERIDICE_CONTACT; default: none)
  -trusted-proxy LIST addresses or networks of the reverse proxies in front of it,
                      separated by commas (VERIDICE_TRUSTED_PROXY): their
                      X-Forwarded-For is believed
  -cors LIST          origins of other sites whose pages may call the API,
                      separated by commas (VERIDICE_CORS; default: none)
  -webhooks KIND      public or private (VERIDICE_WEBHOOKS; default public):
                      private lets webhooks go to this machine, to its network
                      and over plain http, for trials
  -metrics ADDRESS    serve /metrics there, for Prometheus (VERIDICE_METRICS;
                      default: nowhere). Not for the public
  -policy FILE        names the witnesses that must cosign the public log, and how
                      many (c2sp.org/tlog-policy) (VERIDICE_POLICY; default: none)
  -log-name NAME      name of the public log, given once (VERIDICE_LOG_NAME; default:
                      the host of -origin, or a name made of its key)
  -log LEVEL          debug, info, warn or error (VERIDICE_LOG; default info);
                      debug has a line for each request

Traces: OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_TRACES_EXPORTER=otlp turns them on;
OpenTelemetry's other variables work too. A span has a route's pattern and a status,
and nothing that a request brought.

Signals: SIGINT and SIGTERM end it gracefully; on SIGHUP it reads the key file
again.

Examples:
  veridiced
  veridiced -addr :8080
  veridiced init -db /var/lib/veridice/veridice.db -key-file /etc/veridice.key
  veridiced -db /var/lib/veridice/veridice.db -key-file /etc/veridice.key
  veridiced -db postgres://veridice@db1,db2/veridice -key-file /etc/veridice.key
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the program: 0 when it ended as asked, 1 when something failed, 2 for a
// wrong command line.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	p := &program{stdout: stdout, stderr: stderr, key: getenv("VERIDICE_KEY"), vectors: vectors.Lines}
	do := p.serve
	if len(args) > 0 && args[0] == "monitor" {
		return p.monitor(ctx, args[1:])
	}
	if len(args) > 0 && args[0] == "witness" {
		return p.witness(ctx, args[1:])
	}
	commands := map[string]func(context.Context) error{"init": p.init, "log": p.logCommand, "key": p.keyCommand,
		"check": p.check, "export": p.export, "migrate": p.migrate, "backup": p.backup}
	command := ""
	if len(args) > 0 && args[0] == "help" {
		args[0] = "-help"
	}
	if len(args) > 0 && commands[args[0]] != nil {
		command, do, args = args[0], commands[args[0]], args[1:]
	}
	flags := flag.NewFlagSet("veridiced", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	for _, f := range []struct {
		to               *string
		name, env, usual string
	}{
		{&p.addr, "addr", "VERIDICE_ADDR", ""},
		{&p.data, "data", "VERIDICE_DATA", ""},
		{&p.db, "db", "VERIDICE_DB", ""},
		{&p.keyFile, "key-file", "VERIDICE_KEY_FILE", ""},
		{&p.identity, "key-identity", "VERIDICE_KEY_IDENTITY", ""},
		{&p.origin, "origin", "VERIDICE_ORIGIN", ""},
		{&p.contact, "contact", "VERIDICE_CONTACT", ""},
		{&p.proxies, "trusted-proxy", "VERIDICE_TRUSTED_PROXY", ""},
		{&p.cors, "cors", "VERIDICE_CORS", ""},
		{&p.webhooks, "webhooks", "VERIDICE_WEBHOOKS", "public"},
		{&p.metrics, "metrics", "VERIDICE_METRICS", ""},
		{&p.policy, "policy", "VERIDICE_POLICY", ""},
		{&p.logNamed, "log-name", "VERIDICE_LOG_NAME", ""},
		{&p.level, "log", "VERIDICE_LOG", "info"},
	} {
		value := getenv(f.env)
		if value == "" {
			value = f.usual
		}
		flags.StringVar(f.to, f.name, value, "")
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		return 0
	case err != nil:
		return p.wrong(err.Error())
	case flags.NArg() > 0 && command == "init":
		return p.wrong("veridiced init takes only flags")
	case flags.NArg() > 0 && command == "" && commands[flags.Arg(0)] != nil:
		return p.wrong("the command comes first: veridiced " + flags.Arg(0) + " [flags]")
	case flags.NArg() > 0 && command == "":
		return p.wrong("there is no command " + strconv.Quote(flags.Arg(0)))
	}
	p.args = flags.Args()
	err := do(ctx)
	var wrong usageError
	switch {
	case errors.As(err, &wrong):
		return p.wrong(wrong.Error())
	case err != nil:
		p.note("error: " + err.Error())
		return 1
	}
	return 0
}

// A usageError is a fault of the command line.
type usageError string

func (e usageError) Error() string { return string(e) }

func (p *program) wrong(text string) int {
	p.note("error: " + text)
	p.note("hint: veridiced -help")
	return 2
}

// note tells whoever started the program; answers go to standard output.
func (p *program) note(text string) { fmt.Fprintln(p.stderr, "veridiced: "+text) }
