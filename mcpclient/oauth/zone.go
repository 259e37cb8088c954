package oauth

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

// A zone says how close an address is. What a server in one zone names must not be in a later one.
type zone int

const (
	nowhere  zone = iota // no server has such an address, or no one that others may name
	public               // the Internet
	private              // a network of the person's, or one that is shared behind a provider's NAT
	loopback             // this machine
)

var (
	global6 = netip.MustParsePrefix("2000::/3")     // all that is assigned to the Internet
	nat64   = netip.MustParsePrefix("64:ff9b::/96") // has an address of IPv4 in its last 4 bytes (RFC 6052)

	// privates are private beside those of netip.Addr.IsPrivate.
	privates = []netip.Prefix{
		netip.MustParsePrefix("100.64.0.0/10"), // shared behind a NAT (RFC 6598); VPNs use it
		netip.MustParsePrefix("198.18.0.0/15"), // benchmarks (RFC 2544); local proxies give names such addresses
	}
	// nowheres have no server (RFC 6890 and the registries that go on from it).
	nowheres = []netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"),
		netip.MustParsePrefix("169.254.0.0/16"), // the metadata of clouds, among others
		netip.MustParsePrefix("192.0.0.0/24"),
		netip.MustParsePrefix("192.0.2.0/24"),
		netip.MustParsePrefix("192.88.99.0/24"),
		netip.MustParsePrefix("198.51.100.0/24"),
		netip.MustParsePrefix("203.0.113.0/24"),
		netip.MustParsePrefix("224.0.0.0/3"), // multicast, reserved, broadcast
		netip.MustParsePrefix("2001::/23"),   // Teredo and other protocols
		netip.MustParsePrefix("2001:db8::/32"),
		netip.MustParsePrefix("2002::/16"), // 6to4, which has an address of IPv4 inside
		netip.MustParsePrefix("3fff::/20"),
	}
)

// zoneOf returns the zone of an address.
func zoneOf(ip netip.Addr) zone {
	if ip.Zone() != "" { // an interface: only link-local addresses need one
		return nowhere
	}
	ip = ip.Unmap()
	if nat64.Contains(ip) {
		b := ip.As16()
		ip = netip.AddrFrom4([4]byte(b[12:]))
	}
	in := func(prefixes []netip.Prefix) bool {
		return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(ip) })
	}
	switch {
	case !ip.IsValid(), in(nowheres):
		return nowhere
	case ip.IsLoopback():
		return loopback
	case ip.IsPrivate(), in(privates):
		return private
	case ip.Is6() && !global6.Contains(ip):
		return nowhere
	}
	return public
}

// zoneOfHost returns the zone of a host as far as its text says it. named says that it is a name,
// which may lead elsewhere.
func zoneOfHost(host string) (z zone, named bool) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return zoneOf(ip), false
	}
	host = asciiHost(host)
	if strings.ContainsFunc(host, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '%' || r == ':' }) {
		return nowhere, true
	}
	host = strings.TrimSuffix(host, ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		return zoneOf(ip), false
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	switch {
	case last == "" || strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x"):
		return nowhere, true // such as 127.1 and 2130706433, which some resolvers take for an address
	case last == "localhost":
		return loopback, true // RFC 6761, section 6.3
	}
	return public, true
}

// asciiHost returns a host as net/http looks it up: full-width digits, for one, are digits. What is no
// name stays as it is.
func asciiHost(host string) string {
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	return strings.ToLower(host)
}

// isLoopback reports whether the text of a URL says that it leads to this machine.
func isLoopback(u *url.URL) bool {
	z, _ := zoneOfHost(u.Hostname())
	return z == loopback
}

// sameOrigin reports whether a and b have scheme, host and port in common.
func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && address(a) == address(b) }

// address returns the host and port of a URL as net/http dials them.
func address(u *url.URL) string {
	host, port := asciiHost(u.Hostname()), u.Port()
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	return net.JoinHostPort(host, port)
}
