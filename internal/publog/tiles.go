package publog

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"veridice/checkpoint"
	"veridice/internal/match"
)

// tileHeight is that of c2sp.org/tlog-tiles: 256 hashes a tile.
const tileHeight = 8

// Head gives the shown checkpoint, or [match.ErrNotFound] before there is one.
func (l *Log) Head(ctx context.Context) ([]byte, error) {
	tree, err := l.Keeper.Tree(ctx)
	if err == nil && tree.ShownSize == 0 {
		err = match.ErrNotFound
	}
	return tree.Shown, err
}

// Find gives an entry of the shown log and its receipt.
func (l *Log) Find(ctx context.Context, index uint64) (entry, receipt []byte, err error) {
	tree, err := l.Keeper.Tree(ctx)
	if err != nil {
		return nil, nil, err
	}
	if index >= tree.ShownSize {
		return nil, nil, match.ErrNotFound
	}
	entries, err := l.Keeper.Log(ctx, index, 1)
	if err != nil {
		return nil, nil, err
	}
	if len(entries) == 0 {
		return nil, nil, errors.New("publog: entries of the shown log are missing")
	}
	r, err := checkpoint.Prove(int64(index), tree.Shown, l.reader(ctx, nil))
	if err != nil {
		return nil, nil, err
	}
	return entries[0], r.Marshal(), nil
}

// Fetch reads files of the log by their paths, as from its address.
func (l *Log) Fetch(ctx context.Context, path string) ([]byte, error) {
	if path == "checkpoint" {
		return l.Head(ctx)
	}
	return l.Tile(ctx, path)
}

// Tile gives what stands under a path of c2sp.org/tlog-tiles, such as tile/0/x001/067
// or tile/entries/000.p/3: hashes, or entries each after its length in two bytes. It
// never changes. Of what is not shown yet, and of other paths, there is none:
// [match.ErrNotFound].
func (l *Log) Tile(ctx context.Context, path string) ([]byte, error) {
	rest, ok := strings.CutPrefix(path, "tile/")
	if !ok {
		return nil, match.ErrNotFound
	}
	kind, rest, _ := strings.Cut(rest, "/")
	level := kind
	if kind == "entries" {
		level = "data"
	}
	// The library has the height in its paths, which here is always the same.
	t, err := tlog.ParseTilePath("tile/" + strconv.Itoa(tileHeight) + "/" + level + "/" + rest)
	if err != nil || kind == "data" {
		return nil, match.ErrNotFound
	}
	tree, err := l.Keeper.Tree(ctx)
	if err != nil {
		return nil, err
	}
	if uint64(t.N) > tree.ShownSize {
		return nil, match.ErrNotFound // before it is multiplied
	}
	if kind == "entries" {
		first := uint64(t.N) << tileHeight
		if first+uint64(t.W) > tree.ShownSize {
			return nil, match.ErrNotFound
		}
		return l.bundle(ctx, first, t.W)
	}
	// The last hash of the tile stands over this many entries.
	if last := (t.N<<tileHeight + int64(t.W)); t.L > 7 || last > int64(tree.ShownSize)>>(tileHeight*t.L) {
		return nil, match.ErrNotFound
	}
	return tlog.ReadTileData(t, l.reader(ctx, nil))
}

func (l *Log) bundle(ctx context.Context, first uint64, many int) ([]byte, error) {
	entries, err := l.Keeper.Log(ctx, first, many)
	if err != nil {
		return nil, err
	}
	if len(entries) != many {
		return nil, errors.New("publog: entries of the shown log are missing")
	}
	var out []byte
	for _, e := range entries {
		out = append(append(out, byte(len(e)>>8), byte(len(e))), e...)
	}
	return out, nil
}

// Export writes the shown log as files of c2sp.org/tlog-tiles, for any file server. The
// checkpoint comes last, so that whoever reads the folder meanwhile finds all it names.
func (l *Log) Export(ctx context.Context, write func(path string, content []byte) error) error {
	tree, err := l.Keeper.Tree(ctx)
	if err != nil {
		return err
	}
	if tree.ShownSize == 0 {
		return match.ErrNotFound
	}
	put := func(t tlog.Tile, kind string) error {
		path := strings.Replace(t.Path(), "tile/"+strconv.Itoa(tileHeight)+"/"+strconv.Itoa(t.L)+"/", "tile/"+kind+"/", 1)
		content, err := l.Tile(ctx, path)
		if err != nil {
			return err
		}
		return write(path, content)
	}
	for level := 0; int64(tree.ShownSize)>>(tileHeight*level) > 0; level++ {
		width := int64(tree.ShownSize) >> (tileHeight * level)
		for n := int64(0); n<<tileHeight < width; n++ {
			t := tlog.Tile{H: tileHeight, L: level, N: n, W: int(min(width-n<<tileHeight, 1<<tileHeight))}
			if err := put(t, strconv.Itoa(level)); err != nil {
				return err
			}
			if level == 0 {
				if err := put(t, "entries"); err != nil {
					return err
				}
			}
		}
	}
	return write("checkpoint", tree.Shown)
}
