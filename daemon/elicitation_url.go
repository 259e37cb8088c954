package daemon

import (
	"encoding/json"
	"net/netip"
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/idna"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// maxHost bounds the host of a URL, in bytes, before it is converted: a domain name has at most 253
// characters (RFC 1035, section 2.3.4), and each takes at most four bytes.
const maxHost = 1 << 10

// notInURL are the printable ASCII characters that a URL may hold only percent-encoded (RFC 3986,
// section 2). Some programs read them in ways of their own: a browser reads a backslash as a slash,
// and a shell interprets them all.
const notInURL = "\"<>\\^`{|}"

// withHost checks the URL that a server wants you to open. It adds a note to the params when you
// may take its host for another, or when others on the network can read along.
//
// "The url parameter MUST contain a valid URL" (MCP 2025-11-25, URL Mode Elicitation
// Requests). Clients "SHOULD have warnings for ambiguous/suspicious URIs (i.e.,
// containing Punycode)" (Safe URL Handling). Nothing here is opened or looked up.
func withHost(params json.RawMessage) (json.RawMessage, error) {
	text := rawjson.String(params, "url")
	u, err := url.Parse(text)
	if err != nil || strings.ContainsFunc(text, unfitForURL) ||
		(u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || len(u.Hostname()) > maxHost {
		return nil, invalidQuestion("the url of an elicitation must be a valid http: or https: URL with a host")
	}
	host, warnings, err := examineHost(u)
	if err != nil {
		return nil, invalidQuestion("the host in the url of an elicitation is not a valid name")
	}
	if warnings == nil {
		return params, nil
	}
	raw, err := json.Marshal(editorapi.URLNote{Host: host, Warning: strings.Join(warnings, ", and ")})
	if err != nil {
		return nil, err
	}
	return rawjson.SetPath(params, raw, "_meta", ourMeta+"url"), nil
}

// examineHost returns the host of a URL as a reader sees it, with its ASCII form where that
// differs. The warnings say why you may take the host for another, or that others on the network
// can read along.
func examineHost(u *url.URL) (host string, warnings []string, err error) {
	host = u.Hostname()
	if isInternational(host) {
		ascii, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return "", nil, err
		}
		if host, err = idna.Display.ToUnicode(ascii); err != nil {
			return "", nil, err
		}
		if ascii != host {
			host += " (" + ascii + ")"
		}
		warnings = append(warnings, "the name of the host has letters that may be taken for others")
	}
	if u.User != nil {
		warnings = append(warnings, "the text before the @ is not the host")
	}
	if u.Scheme == "http" && !isOwnHost(u.Hostname()) {
		warnings = append(warnings, "what is sent there is not encrypted (http)")
	}
	return host, warnings, nil
}

// unfitForURL reports whether a character has no place in a URL that you are to examine: RFC 3986
// excludes it, or it is invisible.
func unfitForURL(r rune) bool {
	return strings.ContainsRune(notInURL, r) || unicode.IsSpace(r) || !unicode.IsGraphic(r)
}

// isInternational reports whether a host has characters outside of ASCII, written as they are or in
// Punycode.
func isInternational(host string) bool {
	return strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) ||
		strings.Contains("."+strings.ToLower(host), ".xn--")
}

// isOwnHost reports whether a host is this machine: what is sent there does not leave it.
func isOwnHost(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback() || strings.EqualFold(host, "localhost")
}
