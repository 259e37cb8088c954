package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// Protocol versions that this package speaks by initialize (MCP, Versioning).
// 2024-10-07 is spoken to as 2024-11-05.
const (
	Version20241007 = "2024-10-07"
	Version20241105 = "2024-11-05"
	Version20250326 = "2025-03-26"
	Version20250618 = "2025-06-18"
	Version20251125 = "2025-11-25"
)

const (
	protocolAuto = "auto"
	ourVersions  = Version20241007 + ", " + Version20241105 + ", " + Version20250326 + ", " + Version20250618 + ", " + Version20251125
)

// known tells whether version is one that we speak.
func known(version string) bool {
	return slices.Contains(strings.Split(ourVersions, ", "), version)
}

// offer returns the version that initialize offers. "This SHOULD be the latest
// version supported by the client" (MCP 2025-11-25, Lifecycle, Version
// Negotiation).
//
// This is where the era of a session is chosen. There is one era today: all
// versions begin with initialize.
func (o *Options) offer() (string, *Error) {
	if o.Protocol == protocolAuto {
		return Version20251125, nil
	}
	if !known(o.Protocol) {
		return "", errorf(KindProtocol, o.Protocol, "server %q is configured for protocol %s, but only %s can be spoken: choose one of them or \"auto\"", o.Name, o.Protocol, ourVersions)
	}
	return o.Protocol, nil
}

// handshake initializes the session at the version offered. ctx bounds it
// (MCP 2025-11-25, Lifecycle, Initialization).
func (s *session) handshake(ctx context.Context, version string) error {
	params := rawjson.Set(nil, "protocolVersion", rawjson.Quote(version))
	params = rawjson.Set(params, "capabilities", s.opts.Capabilities)
	params = rawjson.Set(params, "clientInfo", s.opts.ClientInfo)
	result, err := s.request(ctx, methodInitialize, params, 0)
	if err != nil {
		if refusal, ok := errors.AsType[*RPCError](err); ok {
			return refused(s.opts.Name, version, refusal)
		}
		return err
	}
	p, err := readPeer(s.opts.Name, version, result)
	if err != nil {
		return err
	}
	s.peer = p
	// "After successful initialization, the client MUST send an initialized
	// notification to indicate it is ready to begin normal operations".
	return s.notify(ctx, "notifications/initialized", nil)
}

// readPeer reads an InitializeResult. What is missing there and can be done
// without is taken as empty.
func readPeer(name, offered string, result json.RawMessage) (*peer, error) {
	p := &peer{
		name:         name,
		version:      rawjson.String(result, "protocolVersion"),
		info:         object(result, "serverInfo"),
		capabilities: object(result, "capabilities"),
		instructions: rawjson.String(result, "instructions"),
	}
	// "If the client does not support the version in the server's response, it
	// SHOULD disconnect."
	if !known(p.version) {
		theirs := p.version
		if theirs == "" {
			theirs = "no version"
		}
		return nil, errorf(KindProtocol, theirs, "server %q answered %s with %.40q, but only %s can be spoken", name, offered, theirs, ourVersions)
	}
	return p, nil
}

// object returns the member name of b when it is an object, else an empty one.
func object(b json.RawMessage, name string) json.RawMessage {
	if v := rawjson.Get(b, name); rawjson.IsObject(v) {
		return v
	}
	return json.RawMessage("{}")
}

// refused is the error for a server that answered initialize with an error.
func refused(name, offered string, refusal *RPCError) *Error {
	var theirs []string
	for v := range rawjson.Elements(rawjson.Get(refusal.Data, "supported")) {
		if len(theirs) == 20 {
			break
		}
		theirs = append(theirs, strings.Trim(string(v), `"`))
	}
	why := refusal.Message
	if len(theirs) > 0 {
		why += "; it speaks " + strings.Join(theirs, ", ")
	}
	return errorf(KindProtocol, offered, "server %q refused the handshake at protocol %s (%.500s); only %s can be spoken", name, offered, why, ourVersions)
}
