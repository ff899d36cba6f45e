package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/parquet-go/parquet-go"
)

func write[T any](t *testing.T, rows []T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "bets.parquet")
	if err := parquet.WriteFile(name, rows); err != nil {
		t.Fatal(err)
	}
	return name
}

func printed(t *testing.T, name string) string {
	t.Helper()
	var out bytes.Buffer
	if err := convert(&out, name); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestFlatColumns(t *testing.T) {
	type row struct {
		Site   string  `parquet:"site"`
		Game   string  `parquet:"game"`
		Seed   string  `parquet:"seed"`
		Client *string `parquet:"client,optional"`
		Nonce  *int64  `parquet:"nonce,optional"`
		Rows   *int32  `parquet:"params.rows,optional"`
		Slot   *int32  `parquet:"want.slot,optional"`
	}
	client, nonce, rows, slot := "a<b>é", int64(1<<62+1), int32(8), int32(5)
	got := printed(t, write(t, []row{
		{"shuffle", "plinko", "def", &client, &nonce, &rows, &slot},
		{Site: "stake", Game: "crash", Seed: "s"},
	}))
	const want = `{"client":"a<b>é","game":"plinko","nonce":4611686018427387905,"params":{"rows":8},"seed":"def","site":"shuffle","want":{"slot":5}}
{"game":"crash","params":{},"seed":"s","site":"stake","want":{}}
`
	if got != want {
		t.Errorf("got %s want %s", got, want)
	}
}

func TestGroups(t *testing.T) {
	type params struct {
		Mines int32 `parquet:"mines"`
	}
	type outcome struct {
		Cells []int32 `parquet:"cells,list"`
	}
	type row struct {
		Site   string  `parquet:"site"`
		Params params  `parquet:"params"`
		Want   outcome `parquet:"want"`
	}
	got := printed(t, write(t, []row{{"shuffle", params{3}, outcome{[]int32{20, 21, 4}}}}))
	if want := "{\"params\":{\"mines\":3},\"site\":\"shuffle\",\"want\":{\"cells\":[20,21,4]}}\n"; got != want {
		t.Errorf("got %s want %s", got, want)
	}
}

// TestDamaged cuts a file everywhere and changes its bytes: an error or rows, never a panic.
func TestDamaged(t *testing.T) {
	type row struct {
		Site  string `parquet:"site"`
		Nonce int64  `parquet:"nonce"`
	}
	name := write(t, []row{{"shuffle", 1}, {"stake", 2}})
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(whole); n += 7 {
		if err := os.WriteFile(name, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if err := convert(new(bytes.Buffer), name); err == nil {
			t.Errorf("the first %d bytes of %d are a file", n, len(whole))
		}
	}
	if err := convert(new(bytes.Buffer), filepath.Join(t.TempDir(), "none")); err == nil || err.Error() != "no such file or directory" {
		t.Errorf("got %v", err)
	}
}

func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		args      []string
		code      int
		out, errs string
	}{
		{[]string{"--help"}, 0, usage, ""},
		{nil, 2, "", "veridice-parquet: error: give one FILE\n"},
		{[]string{"a", "b"}, 2, "", "veridice-parquet: error: give one FILE\n"},
		{[]string{"missing"}, 3, "", "veridice-parquet: error: missing: no such file or directory\n"},
	} {
		var out, errs bytes.Buffer
		if code := run(c.args, &out, &errs); code != c.code || out.String() != c.out || runtime.GOOS != "windows" && errs.String() != c.errs {
			t.Errorf("%q: got %d, %q, %q", c.args, code, &out, &errs)
		}
	}
}
