package main

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"

	"github.com/piglig/go-qr"
)

// announce prints the addresses under which the pages are found; for other
// machines also a QR code of the first.
func (p *program) announce(asked string, bound net.Addr) {
	tcp, ok := bound.(*net.TCPAddr)
	if !ok {
		fmt.Fprintln(p.stdout, bound)
		return
	}
	host, _, err := net.SplitHostPort(asked)
	if err != nil {
		host = ""
	}
	if tcp.IP.IsLoopback() || host == "" || tcp.IP.IsUnspecified() {
		host = "localhost"
	}
	fmt.Fprintln(p.stdout, address(host, tcp.Port))
	if !tcp.IP.IsUnspecified() {
		return
	}
	others := p.others(tcp.Port)
	for _, a := range others {
		fmt.Fprintln(p.stdout, a)
	}
	if len(others) == 0 {
		p.note("this machine has no address in a network")
		return
	}
	code, err := go_qr.EncodeText(others[0], go_qr.Low)
	if err != nil {
		p.note("warning: no QR code for " + others[0])
		return
	}
	terminal := false
	if f, ok := p.stdout.(*os.File); ok {
		info, err := f.Stat()
		terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	fmt.Fprint(p.stdout, draw(code, terminal))
}

func address(host string, port int) string {
	return "http://" + net.JoinHostPort(host, fmt.Sprint(port)) + "/"
}

// others lists the addresses of this machine in its networks, private IPv4
// first: that is where the phones of the house are.
func (p *program) others(port int) []string {
	found, err := net.InterfaceAddrs()
	if err != nil {
		p.note("warning: the addresses of this machine cannot be read")
		return nil
	}
	var ips []netip.Addr
	for _, a := range found {
		n, ok := a.(*net.IPNet)
		if !ok {
			continue
		}
		ip, ok := netip.AddrFromSlice(n.IP)
		if ip = ip.Unmap(); ok && ip.IsGlobalUnicast() {
			ips = append(ips, ip)
		}
	}
	rank := func(ip netip.Addr) int {
		switch {
		case ip.Is4() && ip.IsPrivate():
			return 0
		case ip.Is4():
			return 1
		}
		return 2
	}
	slices.SortStableFunc(ips, func(a, b netip.Addr) int { return rank(a) - rank(b) })
	var addresses []string
	for _, ip := range ips {
		addresses = append(addresses, address(ip.String(), port))
	}
	return addresses
}

// draw makes a QR code of characters, two modules high each, with the four light
// modules around it that readers need. A terminal is told the colours; elsewhere
// the paper is taken to be dark, as a terminal's mostly is.
func draw(code *go_qr.QrCode, terminal bool) string {
	const border = 4
	size := code.Size()
	dark := func(x, y int) bool {
		x, y = x-border, y-border
		return x >= 0 && y >= 0 && x < size && y < size && code.Module(x, y)
	}
	var b strings.Builder
	for y := 0; y < size+2*border; y += 2 {
		if terminal {
			b.WriteString("\x1b[97;40m") // white on black
		}
		for x := range size + 2*border {
			// The last half line may be beyond the border: light too.
			switch above, below := dark(x, y), dark(x, y+1); {
			case above && below:
				b.WriteByte(' ')
			case above:
				b.WriteRune('▄')
			case below:
				b.WriteRune('▀')
			default:
				b.WriteRune('█')
			}
		}
		if terminal {
			b.WriteString("\x1b[0m")
		}
		b.WriteByte('\n')
	}
	return b.String()
}
