package publog

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"veridice/checkpoint"
	"veridice/internal/match"
	"veridice/internal/repeat"
	"veridice/record"
)

// A witness is asked for cosignatures over c2sp.org/tlog-witness.
type witness struct {
	checkpoint.Witness
	client http.Client

	mu    sync.Mutex   // held while it is asked
	old   int64        // the size that it has seen last, as far as is known
	fault repeat.Fault // cosign's own
}

func newWitness(w checkpoint.Witness, timeout time.Duration) *witness {
	return &witness{Witness: w, client: http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// maxAnswer bounds what a witness may answer, in bytes.
const maxAnswer = 16 << 10

// ErrShorter says that a witness has seen a longer log than the stored one: it was
// restored from a backup, and what would be appended now contradicts what was shown.
var ErrShorter = errors.New("publog: a witness has seen a longer log than the stored one; a log is not restored from a backup")

// errOwes is the fault of a witness that hangs while the others go on: its requests would
// become more and more.
var errOwes = errors.New("has not answered the last request yet")

// grace is how long the head waits for further witnesses after its policy is satisfied.
const grace = 300 * time.Millisecond

// cosign asks all witnesses at once and gives the head with every cosignature that came
// in time, if they are enough. Who is slower is waited for no longer than the policy
// needs.
func (l *Log) cosign(ctx context.Context, tree match.Tree) ([]byte, error) {
	head, signatures, err := checkpoint.Open(tree.Checkpoint)
	if err != nil {
		return nil, err
	}
	type answer struct {
		from       *witness
		signatures []record.Signature
		err        error
	}
	answers := make(chan answer, len(l.witnesses))
	for _, w := range l.witnesses {
		go func() {
			signatures, err := l.ask(ctx, w, head, tree.Checkpoint)
			answers <- answer{w, signatures, err}
		}()
	}
	var late <-chan time.Time
	var shorter error
	_, missing := l.Policy.Open(tree.Checkpoint)
	for range l.witnesses {
		select {
		case a := <-answers:
			news := a.from.fault.News(a.err)
			if a.err != nil {
				if errors.Is(a.err, ErrShorter) {
					shorter = a.err // one alone may lie
				}
				if news {
					l.Logger.WarnContext(ctx, "a witness did not cosign", "witness", a.from.Name, "error", a.err)
				}
				continue
			}
			if news {
				l.Logger.WarnContext(ctx, "a witness cosigns again", "witness", a.from.Name)
			}
			signatures = append(signatures, a.signatures...)
			if _, missing = l.Policy.Open(head.Note(signatures...)); missing == nil && late == nil {
				late = time.After(grace)
			}
			continue
		case <-late:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		break
	}
	if missing != nil && shorter != nil {
		return nil, shorter
	}
	if missing != nil {
		return nil, fmt.Errorf("the head of %d entries waits for witnesses: %v", head.Size, missing)
	}
	return head.Note(signatures...), nil
}

// ask gets the cosignature of one witness. It answers with its own size if it has
// seen another one than was thought; then it is asked again from there.
func (l *Log) ask(ctx context.Context, w *witness, head checkpoint.Checkpoint, signed []byte) ([]record.Signature, error) {
	if !w.mu.TryLock() {
		return nil, errOwes
	}
	defer w.mu.Unlock()
	for range 2 {
		proof, err := checkpoint.ProveGrowth(w.old, head.Size, l.reader(ctx, nil))
		if err != nil {
			return nil, err
		}
		var body bytes.Buffer
		fmt.Fprintf(&body, "old %d\n", w.old)
		for _, h := range proof {
			body.WriteString(base64.StdEncoding.EncodeToString(h[:]) + "\n")
		}
		body.WriteByte('\n')
		body.Write(signed)
		status, answer, err := w.post(ctx, body.Bytes())
		if err != nil {
			return nil, err
		}
		switch status {
		case http.StatusOK:
			signatures, err := w.read(answer, head, &checkpoint.Policy{Logs: l.Policy.Logs, Witnesses: []checkpoint.Witness{w.Witness}, Quorum: w.Name}, signed)
			if err == nil {
				w.old = head.Size
			}
			return signatures, err
		case http.StatusConflict:
			size, err := strconv.ParseInt(strings.TrimSuffix(string(answer), "\n"), 10, 64)
			switch {
			case err != nil || size < 0:
				return nil, errors.New("answers 409 without a size")
			case size > head.Size:
				return nil, fmt.Errorf("%w: %d entries, not %d", ErrShorter, size, head.Size)
			case size == w.old:
				return nil, errors.New("answers 409 with the size that it was asked for")
			}
			w.old = size
		default:
			return nil, fmt.Errorf("answers %d", status)
		}
	}
	return nil, errors.New("changes its size from answer to answer")
}

func (w *witness) post(ctx context.Context, body []byte) (int, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(w.URL, "/")+"/add-checkpoint", bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	answer, err := w.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	if err == nil && len(b) > maxAnswer {
		err = errors.New("answers too much")
	}
	return answer.StatusCode, b, err
}

// read takes the witness's own good cosignature from its answer. One that fails would
// spoil the receipts of everybody.
func (w *witness) read(answer []byte, head checkpoint.Checkpoint, alone *checkpoint.Policy, signed []byte) ([]record.Signature, error) {
	_, own, err := checkpoint.Open(signed)
	if err != nil {
		return nil, err
	}
	_, signatures, err := checkpoint.Open(append(append(head.Marshal(), '\n'), answer...))
	if err != nil {
		return nil, errors.New("answers what is no cosignature")
	}
	for _, s := range signatures {
		if _, err := alone.Open(head.Note(append(own[:len(own):len(own)], s)...)); err == nil {
			return []record.Signature{s}, nil
		}
	}
	return nil, errors.New("answers a cosignature that does not hold")
}
