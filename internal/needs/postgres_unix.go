//go:build unix

package needs

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A PostgresServer is a server of the test's own, in a temporary folder, reached
// through a Unix socket alone. Its superuser is "veridice", without a password.
type PostgresServer struct {
	t      testing.TB
	bin    string // folder of the programs
	dir    string // folder of data and socket
	who    *syscall.SysProcAttr
	server *exec.Cmd
	alive  io.Closer // the server ends when it is closed, by this process or by its end
	exited chan struct{}
}

// Postgres starts a server that ends with the test; options are settings of
// postgresql.conf such as "max_connections=50".
func Postgres(t testing.TB, options ...string) *PostgresServer {
	t.Helper()
	p := newPostgres(t)
	p.run("initdb", "-D", p.data(), "-U", "veridice", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions")
	p.write("postgresql.conf", append([]string{
		"listen_addresses=''", "unix_socket_directories='" + p.dir + "'", "shared_buffers='64MB'", "max_connections=100",
		"wal_level=replica", "max_wal_senders=4", "logging_collector=off", "log_min_messages=fatal",
	}, options...)...)
	p.start()
	return p
}

// newPostgres makes the folder of a server, and finds a user for it: root may not run
// one.
func newPostgres(t testing.TB) *PostgresServer {
	t.Helper()
	program, err := filepath.EvalSymlinks(Program(t, "postgres")) // its helpers stand beside it
	if err != nil {
		t.Fatal(err)
	}
	p := &PostgresServer{t: t, bin: filepath.Dir(program), who: &syscall.SysProcAttr{Setpgid: true}}
	// The path of a socket is short, and that of t.TempDir is not.
	dir, err := os.MkdirTemp("", "vpg")
	if err != nil {
		t.Fatal(err)
	}
	p.dir = dir
	t.Cleanup(func() { os.RemoveAll(dir) })
	if os.Getuid() == 0 {
		u, err := user.Lookup("postgres")
		if err != nil {
			u, err = user.Lookup("nobody")
		}
		if err != nil {
			t.Fatalf("root may not run postgres, and there is no other user: %v", err)
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		p.who.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(dir, uid, gid); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p *PostgresServer) data() string { return filepath.Join(p.dir, "data") }

// run runs one of PostgreSQL's programs to its end.
func (p *PostgresServer) run(program string, args ...string) string {
	p.t.Helper()
	out, err := p.try(program, args...)
	if err != nil {
		p.t.Fatalf("%s: %v\n%s", program, err, out)
	}
	return out
}

func (p *PostgresServer) try(program string, args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(p.bin, program), args...)
	cmd.Dir, cmd.SysProcAttr = p.dir, p.who
	cmd.Env = []string{"LC_ALL=C", "PATH=" + os.Getenv("PATH"), "HOME=" + p.dir}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// write appends lines to a file of the data folder.
func (p *PostgresServer) write(file string, lines ...string) {
	p.t.Helper()
	f, err := os.OpenFile(filepath.Join(p.data(), file), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(strings.Join(lines, "\n") + "\n"); err != nil {
		p.t.Fatal(err)
	}
}

// start starts the server under a shell that ends it when this process is gone.
func (p *PostgresServer) start() {
	p.t.Helper()
	p.server = exec.Command("sh", "-c", `"$0" -D "$1" </dev/null & server=$!; read line; kill -QUIT $server; wait $server`,
		filepath.Join(p.bin, "postgres"), p.data())
	p.server.Dir, p.server.SysProcAttr = p.dir, p.who
	p.server.Env = []string{"LC_ALL=C", "PATH=" + os.Getenv("PATH"), "HOME=" + p.dir}
	var said bytes.Buffer
	p.server.Stdout, p.server.Stderr = &said, &said
	in, err := p.server.StdinPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	p.alive = in
	if err := p.server.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.exited = make(chan struct{})
	go func() { p.server.Wait(); close(p.exited) }()
	p.t.Cleanup(p.stop)
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if out, err := p.try("pg_isready", "-h", p.dir, "-d", "postgres"); err == nil {
			return
		} else if time.Now().After(end) {
			p.t.Fatalf("postgres does not start: %v %s\n%s", err, out, &said)
		}
	}
}

// stop ends the server at once, but orderly.
func (p *PostgresServer) stop() {
	p.alive.Close()
	<-p.exited
}

// Kill ends the server and all its processes with SIGKILL.
func (p *PostgresServer) Kill() {
	p.t.Helper()
	// The server's own processes lead groups of their own.
	pids, err := p.children(p.server.Process.Pid)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, pid := range append(pids, p.server.Process.Pid) {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	<-p.exited
}

// children lists the processes below one, parents first.
func (p *PostgresServer) children(pid int) (all []int, err error) {
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		return nil, err
	}
	below := map[int]bool{pid: true}
	for more := true; more; {
		more = false
		for line := range strings.Lines(string(out)) {
			var child, parent int
			if n, _ := fmt.Sscan(line, &child, &parent); n == 2 && below[parent] && !below[child] {
				below[child], more = true, true
				all = append(all, child)
			}
		}
	}
	return all, nil
}

// Host is what an address names as the host: the folder of the socket.
func (p *PostgresServer) Host() string { return p.dir }

// URL is the address of a database.
func (p *PostgresServer) URL(database string) string {
	return "postgres:///" + database + "?user=veridice&host=" + p.dir
}

// Create makes an empty database and gives its address.
func (p *PostgresServer) Create(database string) string {
	p.t.Helper()
	p.run("createdb", "-h", p.dir, "-U", "veridice", database)
	return p.URL(database)
}

// Run runs a statement in a database and gives what psql prints.
func (p *PostgresServer) Run(database, statement string) string {
	p.t.Helper()
	return strings.TrimSpace(p.run("psql", "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", "-h", p.dir, "-U", "veridice", "-d", database, "-c", statement))
}

// Standby starts a server that follows this one, and without whose word this one
// commits nothing from then on.
func (p *PostgresServer) Standby() *PostgresServer {
	p.t.Helper()
	s := newPostgres(p.t)
	s.run("pg_basebackup", "-h", p.dir, "-U", "veridice", "-D", s.data(), "-R", "-X", "stream", "-c", "fast", "--no-sync")
	s.write("postgresql.conf", "unix_socket_directories='"+s.dir+"'")
	s.start()
	p.Run("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'")
	p.Run("postgres", "SELECT pg_reload_conf()")
	for end := time.Now().Add(time.Minute); p.Run("postgres", "SELECT sync_state FROM pg_stat_replication") != "sync"; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatal("the standby does not follow")
		}
	}
	return s
}

// Promote makes a standby a server of its own, which waits for no other one.
func (p *PostgresServer) Promote() {
	p.t.Helper()
	p.run("pg_ctl", "promote", "-D", p.data(), "-w", "-t", "60")
}
