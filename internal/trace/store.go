package trace

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/codes"
	api "go.opentelemetry.io/otel/trace"

	"veridice/internal/ledger"
	"veridice/internal/match"
)

// A Store keeps matches and books.
type Store interface {
	match.Store
	ledger.Store
}

// Store is a store whose changes are spans below those of the requests that make them, from
// the moment at which a change begins to wait for its commit.
func (t *Tracer) Store(s Store) Store { return &store{s, t.tracer} }

type store struct {
	Store
	tracer api.Tracer
}

// begin begins a span if there is one for it to be below.
func (s *store) begin(ctx context.Context, name string) (context.Context, api.Span) {
	above := api.SpanFromContext(ctx)
	if !above.SpanContext().IsValid() {
		return ctx, above // it takes nothing
	}
	return s.tracer.Start(ctx, name)
}

// end ends a span. What the rules refuse is no fault of the store, nor is another change
// that was sooner.
func end(span api.Span, err, own error) {
	if err != nil && !errors.Is(err, own) && !errors.Is(err, match.ErrNotFound) && !errors.Is(err, match.ErrConflict) {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}

// Create is [match.Store].
func (s *store) Create(ctx context.Context, m *match.Match) error {
	ctx, span := s.begin(ctx, "store create")
	err := s.Store.Create(ctx, m)
	end(span, err, nil)
	return err
}

// Update is [match.Store].
func (s *store) Update(ctx context.Context, id, key string, change func(*match.Match) error) error {
	ctx, span := s.begin(ctx, "store update")
	var own error
	err := s.Store.Update(ctx, id, key, func(m *match.Match) error {
		own = change(m)
		return own
	})
	end(span, err, own)
	return err
}

// Amend is [ledger.Store].
func (s *store) Amend(ctx context.Context, kind, name, key string, change func(*ledger.Book) error) error {
	ctx, span := s.begin(ctx, "store amend")
	var own error
	err := s.Store.Amend(ctx, kind, name, key, func(b *ledger.Book) error {
		own = change(b)
		return own
	})
	end(span, err, own)
	return err
}
