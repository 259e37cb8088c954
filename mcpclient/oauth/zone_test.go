package oauth

import (
	"net/netip"
	"testing"
)

func TestZoneOf(t *testing.T) {
	for zone, addresses := range map[zone][]string{
		loopback: {"127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"},
		private: {"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.127.255.255", "198.18.0.1", "fc00::1", "fd12::1",
			"::ffff:10.0.0.1", "64:ff9b::a00:1"},
		public: {"93.184.216.34", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "2a00:1450::1", "64:ff9b::808:808", "192.88.98.1"},
		nowhere: {"0.0.0.0", "0.1.2.3", "169.254.169.254", "169.254.0.1", "192.0.0.1", "192.0.2.1", "192.88.99.1", "198.51.100.1", "203.0.113.1", "224.0.0.1",
			"240.0.0.1", "255.255.255.255", "::", "fe80::1", "fe80::1%eth0", "::1%lo", "fec0::1", "ff02::1", "2001::1", "2001:db8::1", "2002:7f00:1::",
			"::127.0.0.1", "100::1", "64:ff9b:1::1", "64:ff9b::a9fe:a9fe", "::ffff:169.254.169.254", "5f00::1", "3fff::1"},
	} {
		for _, address := range addresses {
			if got := zoneOf(netip.MustParseAddr(address)); got != zone {
				t.Errorf("%s is in %d, want %d", address, got, zone)
			}
		}
	}
	if got := zoneOf(netip.Addr{}); got != nowhere {
		t.Errorf("no address is in %d", got)
	}
}

func TestZoneOfHost(t *testing.T) {
	for host, want := range map[string]zone{
		"mcp.example.com": public, "MCP.example.com.": public, "localhost.example.com": public, "a_b.example.com": public, "xn--mnchen-3ya.de": public,
		"localhost": loopback, "LOCALHOST.": loopback, "app.localhost": loopback, "127.0.0.1": loopback, "::1": loopback,
		"10.1.2.3": private, "169.254.169.254": nowhere,
		// What some resolver takes for an address.
		"127.1": nowhere, "2130706433": nowhere, "0x7f000001": nowhere, "0x7f.1": nowhere, "127.0.0.01": nowhere, "127.0.0.1.": loopback,
		// What net/http takes for something else than it looks like.
		"\uff11\uff12\uff17.0.0.1": loopback, "\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3": loopback, "10\u30020\u30020\u30021": private,
		"": nowhere, ".": nowhere, "a b": nowhere, "a%b": nowhere, "\u202eexample.com": nowhere,
	} {
		if got, _ := zoneOfHost(host); got != want {
			t.Errorf("%q is in %d, want %d", host, got, want)
		}
	}
}
