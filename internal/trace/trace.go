// Package trace tells an OpenTelemetry collector what requests do and how long it takes,
// if the standard variables of the environment name one. A span has the pattern of its
// route and its status; nothing that a request brings is in it, but for the trace to which
// its header traceparent says that it belongs.
package trace

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"
)

// graceful is how long the last spans may take to be sent.
const graceful = 5 * time.Second

// A Tracer makes spans and sends them. [Start] makes one.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   api.Tracer
	log      *slog.Logger
}

// Start begins to send spans, or gives nil if the environment does not ask for them:
// OTEL_TRACES_EXPORTER=otlp does, and so does an address of a collector in
// OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT. The SDK reads its
// other variables.
func Start(ctx context.Context, log *slog.Logger) (*Tracer, error) {
	named := os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") + os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT")
	switch name := os.Getenv("OTEL_TRACES_EXPORTER"); {
	case strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true"), name == "none", name == "" && named == "":
		return nil, nil
	case name != "" && name != "otlp":
		return nil, errors.New("OTEL_TRACES_EXPORTER: there are otlp and none")
	}
	protocol := "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"
	if os.Getenv(protocol) == "" {
		protocol = "OTEL_EXPORTER_OTLP_PROTOCOL"
	}
	switch os.Getenv(protocol) {
	case "", "http/protobuf", "http/json":
	default:
		return nil, errors.New(protocol + ": traces are sent by http/protobuf or http/json")
	}
	var options []otlptracehttp.Option
	if named == "" {
		options = append(options, otlptracehttp.WithEndpointURL("http://localhost:4318/v1/traces"))
	}
	sender, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("traces cannot be sent: %v", err)
	}
	// What the environment says of the service counts more than its usual name.
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "veridiced")), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %v", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("tracing", "error", err) }))
	t := &Tracer{log: log, provider: sdk.NewTracerProvider(sdk.WithResource(about), sdk.WithBatcher(&exporter{SpanExporter: sender, log: log}))}
	t.tracer = t.provider.Tracer("veridice/internal/trace")
	return t, nil
}

// Stop sends what was not sent yet.
func (t *Tracer) Stop() {
	ctx, cancel := context.WithTimeout(context.Background(), graceful)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		t.log.Warn("the last traces were not sent", "error", err)
	}
}

// Request begins the span of a request. It gives the context in which the request is to be
// answered, the id of its trace, and the function that ends the span.
func (t *Tracer) Request(r *http.Request) (ctx context.Context, id string, end func(route string, status int)) {
	// The header tracestate is not read: spans would tell it on as it came.
	ctx = propagation.TraceContext{}.Extract(r.Context(), propagation.MapCarrier{"traceparent": r.Header.Get("Traceparent")})
	ctx, span := t.tracer.Start(ctx, "request", api.WithSpanKind(api.SpanKindServer))
	return ctx, span.SpanContext().TraceID().String(), func(route string, status int) {
		if route == "" {
			route = "other"
		}
		span.SetName(route)
		if method, path, ok := strings.Cut(route, " "); ok {
			span.SetAttributes(attribute.String("http.request.method", method), attribute.String("http.route", path))
		}
		span.SetAttributes(attribute.Int("http.response.status_code", status))
		if status >= 500 {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// An exporter says once that nobody takes the spans, and once that somebody does again.
type exporter struct {
	sdk.SpanExporter
	log     *slog.Logger
	failing atomic.Bool
}

// ExportSpans is [sdk.SpanExporter].
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	switch failed := err != nil; {
	case e.failing.Swap(failed) == failed:
	case failed:
		e.log.Warn("traces cannot be sent", "error", err)
	default:
		e.log.Info("traces are sent again")
	}
	return nil
}
