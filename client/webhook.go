package client

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// An Event is what a webhook tells. Its ID is the same when it comes again: a receiver that
// keeps the ids it has handled handles each once.
type Event struct {
	ID   string          `json:"-"`
	Type string          `json:"type"` // match.finished, match.aborted, pair.rotated
	At   time.Time       `json:"timestamp"`
	Data json.RawMessage `json:"data"`
}

// Reasons not to believe a webhook.
var (
	ErrSignature = errors.New("veridice: the webhook is not signed with this secret")
	ErrTime      = errors.New("veridice: the webhook was signed at another time")
)

// tolerance is how far the clocks of two servers may be apart.
const tolerance = 5 * time.Minute

// ReadWebhook checks the signature of a webhook by https://www.standardwebhooks.com and
// reads it. body is the request's, byte for byte; secret the one of [Client.CreateHook].
func ReadWebhook(secret string, header http.Header, body []byte, now time.Time) (Event, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 { // with no secret anybody can sign
		return Event{}, errors.New("veridice: the webhook's secret cannot be read")
	}
	e := Event{ID: header.Get("Webhook-Id")}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(e.ID + "." + header.Get("Webhook-Timestamp") + "."))
	mac.Write(body)
	want, signed := mac.Sum(nil), false
	for part := range strings.FieldsSeq(header.Get("Webhook-Signature")) {
		got, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(part, "v1,"))
		signed = signed || err == nil && strings.HasPrefix(part, "v1,") && hmac.Equal(got, want)
	}
	if !signed {
		return Event{}, ErrSignature
	}
	seconds, err := strconv.ParseInt(header.Get("Webhook-Timestamp"), 10, 64)
	if apart := now.Sub(time.Unix(seconds, 0)); err != nil || apart > tolerance || apart < -tolerance {
		return Event{}, ErrTime
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return Event{}, fmt.Errorf("veridice: the webhook is no event: %v", err)
	}
	return e, nil
}
