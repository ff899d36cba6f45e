package main

import (
	"fmt"
	"net"
	"net/http"
	"time"

	"veridice/internal/server"
)

// measure serves what is measured on an address of its own, and gives the function that
// ends it.
func (p *program) measure(s *server.Server) (stop func(), err error) {
	l, err := net.Listen("tcp", p.metrics)
	if err != nil {
		return nil, fmt.Errorf("-metrics: %v", err)
	}
	h := &http.Server{Handler: s.Metrics(), ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h.Serve(l) // until stop
	}()
	p.note("metrics are at http://" + l.Addr().String() + "/metrics")
	return func() {
		h.Close() // a scraper comes again
		<-ended
	}, nil
}
