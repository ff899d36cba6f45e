package needs

import (
	"fmt"
	"net"
	"sync"
	"testing"
)

// A Cable stands between a program and a server, and can be made to hang: then nothing
// comes through in either direction, and nobody is told.
type Cable struct {
	l    net.Listener
	dial func() (net.Conn, error)

	mu    sync.Mutex
	dead  chan struct{} // closed when the connections of now hang
	hung  bool          // new ones do, too
	conns []net.Conn
	ended bool
}

// NewCable leads connections to a port of this machine on to what dial reaches, until the
// test ends.
func NewCable(t testing.TB, dial func() (net.Conn, error)) *Cable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &Cable{l: l, dial: dial, dead: make(chan struct{})}
	go c.run()
	t.Cleanup(c.end)
	return c
}

// Port is where it listens.
func (c *Cable) Port() int { return c.l.Addr().(*net.TCPAddr).Port }

// Hang stops everything, new connections too.
func (c *Cable) Hang() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.hung {
		c.hung = true
		close(c.dead)
	}
}

// Heal lets new connections through. Those that hung do so for ever, as behind a router
// that has forgotten them.
func (c *Cable) Heal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hung {
		c.hung = false
		c.dead = make(chan struct{})
	}
}

func (c *Cable) end() {
	c.l.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for _, conn := range c.conns {
		conn.Close()
	}
}

// keep closes a connection at the end, and tells the state that it begins in.
func (c *Cable) keep(conn net.Conn) (dead chan struct{}, hung, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		conn.Close()
		return nil, false, false
	}
	c.conns = append(c.conns, conn)
	return c.dead, c.hung, true
}

func (c *Cable) run() {
	for {
		near, err := c.l.Accept()
		if err != nil {
			return
		}
		dead, hung, ok := c.keep(near)
		if !ok || hung {
			continue
		}
		far, err := c.dial()
		if err != nil {
			near.Close()
			continue
		}
		if _, _, ok := c.keep(far); ok {
			go pump(far, near, dead)
			go pump(near, far, dead)
		}
	}
}

// pump copies until one side ends, which the other one hears, or the cable hangs.
func pump(to, from net.Conn, dead chan struct{}) {
	b := make([]byte, 1<<16)
	for {
		n, err := from.Read(b)
		select {
		case <-dead:
			return
		default:
		}
		if n > 0 {
			if _, failed := to.Write(b[:n]); failed != nil {
				err = failed
			}
		}
		if err != nil {
			to.Close()
			return
		}
	}
}

// Cable is one to this server.
func (p *PostgresServer) Cable(t testing.TB) *Cable {
	t.Helper()
	return NewCable(t, func() (net.Conn, error) { return net.Dial("unix", p.Host()+"/.s.PGSQL.5432") })
}

// Postgres is the address of a database behind the cable.
func (c *Cable) Postgres(database string) string {
	return fmt.Sprintf("postgres://veridice@127.0.0.1:%d/%s?sslmode=disable", c.Port(), database)
}
