package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"text/tabwriter"
	"time"

	"veridice/internal/apikey"
	"veridice/internal/hook"
	"veridice/internal/ledger"
	"veridice/internal/match"
	"veridice/internal/pair"
	"veridice/internal/server"
	"veridice/internal/store/postgres"
	"veridice/internal/store/sqlite"
)

// Every store that open gives keeps books too.
var (
	_ ledger.Store = (*sqlite.Store)(nil)
	_ ledger.Store = (*postgres.Store)(nil)
)

// operators adds what operators use to the server's options, and gives the service whose
// Run tells them what happened.
func (p *program) operators(o *server.Options, store match.Store, vault *match.Vault, log *slog.Logger) (*hook.Service, error) {
	switch p.webhooks {
	case "", "public", "private":
	default:
		return nil, usageError("-webhooks takes public or private")
	}
	for part := range strings.SplitSeq(p.cors, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		if !server.ValidOrigin(part) {
			return nil, usageError("-cors takes origins such as https://game.example, separated by commas")
		}
		o.CORS = append(o.CORS, part)
	}
	books := store.(ledger.Store)
	hooks, err := hook.New(hook.Options{
		Ledger: books, Matches: store, Vault: vault, Clock: p.time(), Entropy: p.random(), Logger: log, Private: p.webhooks == "private",
	})
	if err != nil {
		return nil, err
	}
	o.Ledger, o.Hooks = books, hooks
	o.Keys, o.Pairs = apikey.New(books, p.time(), p.random()), pair.New(books, vault, p.time(), p.random())
	return hooks, nil
}

// keyCommand is "veridiced key": create makes an API key and prints it, which nothing does
// again; list prints what is known of all of them; revoke ends one. The others are about
// the keys that the database is encrypted with.
func (p *program) keyCommand(ctx context.Context) error {
	private()
	commands := map[string]struct {
		least, most int // arguments
		run         func(context.Context, []string) error
	}{
		"create": {2, 1 << 10, p.keyCreate}, "list": {0, 0, p.keyList}, "revoke": {1, 1, p.keyRevoke},
		"encrypt": {0, 1 << 10, p.keyEncrypt}, "rewrap": {0, 0, p.keyRewrap}, "status": {0, 0, p.keyStatus},
	}
	if len(p.args) > 0 {
		c, n := commands[p.args[0]], len(p.args)-1
		if c.run != nil && n >= c.least && n <= c.most {
			return c.run(ctx, p.args[1:])
		}
	}
	return usageError("veridiced key create OPERATOR SCOPE..., list, or revoke ID; or encrypt [RECIPIENT...], rewrap, or status")
}

// apiKeys opens the API keys for one command.
func (p *program) apiKeys(ctx context.Context, f func(*apikey.Service) error) error {
	store, _, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	return f(apikey.New(store.(ledger.Store), match.System{}, p.random()))
}

func (p *program) keyCreate(ctx context.Context, args []string) error {
	return p.apiKeys(ctx, func(keys *apikey.Service) error {
		var scopes []apikey.Scope
		for _, s := range args[1:] {
			scopes = append(scopes, apikey.Scope(s))
		}
		text, k, err := keys.Create(ctx, args[0], "", scopes)
		if errors.Is(err, apikey.ErrOperator) || errors.Is(err, apikey.ErrScope) {
			return usageError(strings.TrimPrefix(err.Error(), "apikey: "))
		}
		if err != nil {
			return err
		}
		p.note("made the key " + k.ID + " of " + k.Operator + "; it is not shown again")
		fmt.Fprintln(p.stdout, text)
		return nil
	})
}

func (p *program) keyList(ctx context.Context, _ []string) error {
	return p.apiKeys(ctx, func(keys *apikey.Service) error {
		list, err := keys.List(ctx)
		if err != nil {
			return err
		}
		out := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
		for _, k := range list {
			scopes := make([]string, len(k.Scopes))
			for i, s := range k.Scopes {
				scopes[i] = string(s)
			}
			state := "made " + k.Created.Format(time.RFC3339)
			if !k.Revoked.IsZero() {
				state = "revoked " + k.Revoked.Format(time.RFC3339)
			}
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", k.ID, k.Operator, strings.Join(scopes, ","), state)
		}
		return out.Flush()
	})
}

func (p *program) keyRevoke(ctx context.Context, args []string) error {
	return p.apiKeys(ctx, func(keys *apikey.Service) error {
		err := keys.Revoke(ctx, args[0])
		if errors.Is(err, match.ErrNotFound) {
			return errors.New("there is no key " + args[0] + "; veridiced key list has their ids")
		}
		return err
	})
}
