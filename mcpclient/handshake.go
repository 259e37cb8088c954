package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// probeTimeout is how long a server that may be of the legacy era has to answer
// server/discover. One that "does not respond within a reasonable timeout" counts as
// legacy (MCP 2026-07-28, stdio, Backward Compatibility).
const probeTimeout = 5 * time.Second

// notSpoken is the error of a server that does not speak the era it was asked in.
type notSpoken struct {
	why    *wire.Error
	theirs []string // the versions that it named
}

func (e *notSpoken) Error() string { return e.why.Error() }
func (e *notSpoken) Unwrap() error { return e.why }

// handshake makes the session ready in the first of the eras that the server speaks.
// ctx bounds it.
func (s *session) handshake(ctx context.Context, order []era) error {
	var refusal *notSpoken
	for _, e := range order {
		var p *peer
		var err error
		if e == modern {
			p, err = s.discover(ctx, len(order) > 1)
		} else {
			p, err = s.initialize(ctx)
		}
		if err == nil {
			s.peer = p
			return nil
		}
		not, ok := errors.AsType[*notSpoken](err)
		if !ok {
			// A server that says why it refuses and then ends has said more than its end says.
			if end := s.reason(); refusal != nil && e == modern && end != nil && end.Kind == wire.KindExit {
				return refusal.why
			}
			return err
		}
		// A refusal that names versions says more than one that does not. Else keep that
		// of initialize, which every server knows.
		if refusal == nil || len(refusal.theirs) == 0 && (e == legacy || len(not.theirs) > 0) {
			refusal = not
		}
	}
	// A server that had to be started first may have been too slow for the probe.
	if s.probeLost && order[0] == modern {
		if p, err := s.discover(ctx, false); err == nil {
			s.peer = p
			return nil
		}
	}
	return refusal.why
}

// initialize shakes hands in the legacy era (MCP 2025-11-25, Lifecycle, Initialization).
func (s *session) initialize(ctx context.Context) (*peer, error) {
	version := s.opts.Protocol
	if version == protocolAuto {
		version = wire.Version20251125 // "This SHOULD be the latest version supported by the client"
	}
	params := rawjson.Set(nil, "protocolVersion", rawjson.Quote(version))
	told := s.declared.Load().legacy
	s.initialized.Store(&told)
	params = rawjson.Set(params, "capabilities", told)
	params = rawjson.Set(params, "clientInfo", s.opts.ClientInfo)
	result, err := s.request(ctx, wire.MethodInitialize, params, 0)
	if refusal := wire.AsRPC(err); refusal != nil {
		return nil, s.refused("the handshake at protocol "+version, refusal)
	}
	if e, ok := errors.AsType[*wire.Error](err); ok && e.Kind == wire.KindHTTP && !e.Temporary() {
		return nil, &notSpoken{why: wire.Errorf(wire.KindProtocol, e.Detail, "server %q refused the handshake: %s", s.opts.Name, e.Message)}
	}
	if err != nil {
		return nil, err
	}
	p := s.peerOf(result, rawjson.String(result, "protocolVersion"))
	// "If the client does not support the version in the server's response, it
	// SHOULD disconnect."
	if !legacy.speaks(p.version) {
		theirs := p.version
		if theirs == "" {
			theirs = "no version"
		}
		return nil, &notSpoken{
			why: wire.Errorf(wire.KindProtocol, theirs, "server %q answered %s with %.40q, but after initialize mcp-editord can speak only %s to it",
				s.opts.Name, version, theirs, listed(legacy.versions())),
			theirs: []string{theirs},
		}
	}
	// "After successful initialization, the client MUST send an initialized
	// notification to indicate it is ready to begin normal operations".
	return p, s.notify(ctx, wire.MethodInitialized, nil)
}

// discover shakes hands in the modern era (MCP 2026-07-28, Discovery). When probing, the
// server may be of the legacy era, and anything but a result or an error of the modern era
// says that it is: "The fallback MUST NOT be keyed to one specific error code" (ibid.,
// stdio, Backward Compatibility).
func (s *session) discover(ctx context.Context, probing bool) (p *peer, err error) {
	s.modern.Store(true)
	defer func() {
		if err != nil {
			s.modern.Store(false)
		}
	}()
	asking := ctx
	if probing {
		var cancel context.CancelFunc
		asking, cancel = context.WithTimeout(ctx, probeTimeout)
		defer cancel()
	}
	result, err := s.request(asking, wire.MethodDiscover, nil, 0)
	if refusal := wire.AsRPC(err); refusal != nil && refusal.Code == wire.CodeUnsupportedVersion && slices.Contains(supported(refusal), wire.Version20260728) {
		// "The client SHOULD select a mutually supported version from the supported
		// list and retry the request" (ibid., Protocol Version Negotiation).
		result, err = s.request(asking, wire.MethodDiscover, nil, 0)
	}
	if err != nil {
		return nil, s.notModern(ctx, err)
	}
	if theirs := texts(rawjson.Get(result, "supportedVersions")); !slices.Contains(theirs, wire.Version20260728) {
		return nil, s.unsupported(theirs)
	}
	p = s.peerOf(result, wire.Version20260728) // drafts of the specification had serverInfo where initialize has it
	if info := rawjson.Path(result, "_meta", wire.MetaServerInfo); rawjson.IsObject(info) {
		p.info = info
	}
	return p, nil
}

// peerOf returns what the result of a handshake says about the server.
func (s *session) peerOf(result json.RawMessage, version string) *peer {
	return &peer{
		name:         s.opts.Name,
		version:      version,
		info:         object(result, "serverInfo"),
		capabilities: object(result, "capabilities"),
		instructions: rawjson.String(result, "instructions"),
	}
}

// notModern says what a failed server/discover means. ctx is that of the whole handshake.
func (s *session) notModern(ctx context.Context, err error) error {
	if refusal := wire.AsRPC(err); refusal != nil {
		not := s.refused(wire.MethodDiscover, refusal)
		switch refusal.Code {
		case wire.CodeUnsupportedVersion:
			if !slices.Contains(not.theirs, wire.Version20260728) {
				return s.unsupported(not.theirs)
			}
			return not.why
		case wire.CodeHeaderMismatch, wire.CodeMissingCapability:
			return not.why // it is modern, and says what it wants
		}
		return not
	}
	e, ok := errors.AsType[*wire.Error](err)
	if !ok || ctx.Err() != nil || s.reason() != nil {
		return err
	}
	switch e.Kind {
	case wire.KindHTTP:
		if e.Temporary() {
			return err
		}
	case wire.KindTimeout, wire.KindGone:
		s.probeLost = true
	case wire.KindTooLarge, wire.KindInvalidResult:
	default:
		return err
	}
	return &notSpoken{why: wire.Errorf(wire.KindProtocol, e.Detail, "server %q did not answer %s: %s", s.opts.Name, wire.MethodDiscover, e.Message)}
}

// unsupported is the error of a server that speaks these versions, but none of ours of the
// modern era. A server that speaks none of ours at all is not asked again.
func (s *session) unsupported(theirs []string) error {
	named := "no version"
	if len(theirs) > 0 {
		named = listed(theirs)
	}
	e := &notSpoken{
		why:    wire.Errorf(wire.KindProtocol, named, "server %q speaks %s, but mcp-editord can speak only %s to it", s.opts.Name, named, listed(s.opts.spoken())),
		theirs: theirs,
	}
	if len(theirs) > 0 && !slices.ContainsFunc(theirs, legacy.speaks) {
		return e.why
	}
	return e
}

// refused is the error for a server that answered the first request of a handshake with
// an error.
func (s *session) refused(what string, refusal *wire.Error) *notSpoken {
	theirs := supported(refusal)
	why := refusal.Message
	if len(theirs) > 0 {
		why += "; it speaks " + listed(theirs)
	}
	return &notSpoken{
		why:    wire.Errorf(wire.KindProtocol, "", "server %q refused %s (%.500s); mcp-editord can speak only %s to it", s.opts.Name, what, why, listed(s.opts.spoken())),
		theirs: theirs,
	}
}

// supported returns the versions that an error names (MCP 2025-11-25, Lifecycle,
// Error Handling; MCP 2026-07-28, Versioning, Protocol Version Negotiation).
func supported(refusal *wire.Error) []string { return texts(rawjson.Get(refusal.Data, "supported")) }

// texts returns the first twenty strings of an array.
func texts(array []byte) []string {
	var list []string
	for v := range rawjson.Elements(array) {
		if s, ok := rawjson.Text(v); ok && len(list) < 20 {
			list = append(list, clip(s))
		}
	}
	return list
}

func listed(versions []string) string { return strings.Join(versions, ", ") }

// object returns the member name of b when it is an object, else an empty one.
func object(b json.RawMessage, name string) json.RawMessage {
	if v := rawjson.Get(b, name); rawjson.IsObject(v) {
		return v
	}
	return json.RawMessage("{}")
}
