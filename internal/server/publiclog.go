package server

import (
	"encoding/base64"
	"net/http"
	"strconv"
)

// The read side of the public log (c2sp.org/tlog-tiles). All but the checkpoint never
// changes.

func (s *Server) logCheckpoint(w http.ResponseWriter, r *http.Request) error {
	head, err := s.publog.Head(r.Context())
	if err != nil {
		return err
	}
	return sendFile(w, "text/plain; charset=utf-8", fresh, head)
}

func (s *Server) logTile(w http.ResponseWriter, r *http.Request) error {
	tile, err := s.publog.Tile(r.Context(), "tile/"+r.PathValue("path"))
	if err != nil {
		return err
	}
	return sendFile(w, "application/octet-stream", immutable, tile)
}

// logGrowth sends the proof that a tree is an earlier one, grown: base64 of each hash in
// a line.
func (s *Server) logGrowth(w http.ResponseWriter, r *http.Request) error {
	earlier, okEarlier := whole(r.PathValue("earlier"))
	later, okLater := whole(r.PathValue("later"))
	if !okEarlier || !okLater {
		return &problem{status: http.StatusNotFound, code: "no-such-address"}
	}
	proof, err := s.publog.Growth(r.Context(), int64(earlier), int64(later))
	if err != nil {
		return err
	}
	var out []byte
	for _, h := range proof {
		out = append(base64.StdEncoding.AppendEncode(out, h[:]), '\n')
	}
	return sendFile(w, "text/plain; charset=utf-8", immutable, out)
}

func sendFile(w http.ResponseWriter, kind, cache string, content []byte) error {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", cache)
	h.Set("Content-Length", strconv.Itoa(len(content)))
	w.Write(content) // an error is the reader's going away
	return nil
}
