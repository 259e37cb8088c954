package mcpclient

import (
	"encoding/json"
	"slices"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

const protocolAuto = "auto"

// An era is how a client and a server agree on what they speak (MCP 2026-07-28,
// Versioning, Terminology).
type era int

const (
	legacy era = iota // initialize agrees on a version for the whole session
	modern            // every request carries its version
)

// versions returns those that belong to e. 2024-10-07 is treated as 2024-11-05.
func (e era) versions() []string {
	if e == modern {
		return []string{wire.Version20260728}
	}
	return []string{wire.Version20241007, wire.Version20241105, wire.Version20250326, wire.Version20250618, wire.Version20251125}
}

// speaks reports whether we speak version in e.
func (e era) speaks(version string) bool { return slices.Contains(e.versions(), version) }

// ourVersions are all versions.
func ourVersions() []string { return append(legacy.versions(), modern.versions()...) }

// spoken returns the versions that the configuration allows.
func (o *Options) spoken() []string {
	switch {
	case modern.speaks(o.Protocol):
		return modern.versions()
	case legacy.speaks(o.Protocol):
		return legacy.versions()
	default:
		return ourVersions()
	}
}

// checkProtocol returns a [*wire.Error] for a configured version that we do not speak.
func (o *Options) checkProtocol() *wire.Error {
	if o.Protocol == protocolAuto || legacy.speaks(o.Protocol) || modern.speaks(o.Protocol) {
		return nil
	}
	return wire.Errorf(wire.KindProtocol, o.Protocol, "server %q is configured for protocol %q, but mcp-editord speaks only %s; choose one of them or \"auto\"",
		o.Name, o.Protocol, listed(ourVersions()))
}

// eras returns the eras to try, in order. The configuration may pin one; else the one
// that worked last comes first. When none is known, a server behind Streamable HTTP is
// asked in the modern era first, because that costs it nothing. One on stdio is
// initialized first: some servers end or fall silent over a method that they do not know,
// and some servers of both eras have tools that still ask for roots and sampling in the
// legacy way.
func (o *Options) eras(streamable bool, lastVersion string) []era {
	switch {
	case modern.speaks(o.Protocol):
		return []era{modern}
	case o.Protocol != protocolAuto:
		return []era{legacy}
	case modern.speaks(lastVersion), streamable && lastVersion == "":
		return []era{modern, legacy}
	default:
		return []era{legacy, modern}
	}
}

// stamp returns the params of p with what the era wants in their _meta. The rest of _meta
// is the caller's.
func (s *session) stamp(p *pending, params json.RawMessage) json.RawMessage {
	isModern := s.modern.Load()
	if !p.caller && !isModern {
		return params
	}
	meta := json.RawMessage(rawjson.Get(params, "_meta"))
	if !rawjson.IsObject(meta) {
		meta = nil
	}
	if p.caller {
		// "Progress tokens MUST be a string or integer value […] unique across all
		// active requests" (MCP 2025-11-25, Progress): the id is just that.
		meta = rawjson.Set(meta, "progressToken", []byte(p.message.ID.String()))
	}
	if isModern {
		// "Client requests carry the following io.modelcontextprotocol/* fields in
		// _meta; fields marked as required MUST be included on every request" (MCP
		// 2026-07-28, Overview, Per-request protocol fields).
		meta = rawjson.Set(meta, wire.MetaVersion, rawjson.Quote(wire.Version20260728))
		meta = rawjson.Set(meta, wire.MetaClientInfo, s.opts.ClientInfo)
		told := p.told
		if told == nil { // a request of the session's own
			told = s.declared.Load().modern
		}
		meta = rawjson.Set(meta, wire.MetaCapabilities, told)
		if level, _ := s.level.Load().(string); level != "" && p.caller && rawjson.Get(meta, wire.MetaLogLevel) == nil {
			meta = rawjson.Set(meta, wire.MetaLogLevel, rawjson.Quote(level))
		}
	}
	return rawjson.Set(params, "_meta", meta)
}
