package monitor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"veridice/record"
)

// maxFile bounds what is read at once: a bundle of the largest entries.
const maxFile = bundleSize * (2 + record.MaxEntry)

// Source reads a log at an address (http or https) or from a folder that holds its
// files.
func Source(where string) Fetch {
	if !strings.HasPrefix(where, "http://") && !strings.HasPrefix(where, "https://") {
		return func(_ context.Context, path string) ([]byte, error) {
			return os.ReadFile(filepath.Join(where, filepath.FromSlash(path)))
		}
	}
	client := &http.Client{Timeout: 30 * time.Second}
	return func(ctx context.Context, path string) ([]byte, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(where, "/")+"/"+path, nil)
		if err != nil {
			return nil, err
		}
		answer, err := client.Do(r)
		if err != nil {
			return nil, err
		}
		defer answer.Body.Close()
		b, err := io.ReadAll(io.LimitReader(answer.Body, maxFile+1))
		switch {
		case err != nil:
			return nil, err
		case answer.StatusCode == http.StatusNotFound && path == "checkpoint":
			return nil, fmt.Errorf("monitor: there is nothing at %s: it is not the address of a log, or the log has no entry yet", r.URL)
		case answer.StatusCode != http.StatusOK:
			return nil, fmt.Errorf("monitor: %s answers %d", r.URL, answer.StatusCode)
		case len(b) > maxFile:
			return nil, errors.New("monitor: " + r.URL.String() + " is larger than a log's file may be")
		}
		return b, nil
	}
}
