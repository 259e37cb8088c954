package config

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// settings are the keys of a server that are preferences, not part of what it
// is. The user's file may set them in "defaults" for all servers that do
// not say otherwise. A zero value means that it is not set.
//
// env is not among them. It would hand a token, say, that is meant for one server to
// all of them, those from workspace files included.
type settings struct {
	scope            Scope
	protocol         string
	roots            *Roots
	startTimeout     time.Duration
	callTimeout      time.Duration
	sampling         SamplingPolicy
	samplingLimit    Rate
	elicitationLimit Rate
}

// How often in a minute a server may ask unless configured.
const (
	samplingPerMinute    = 10
	elicitationPerMinute = 30
)

const protocolAuto = "auto"

// complete returns d with each setting from its entry, else from defaults, else as built in,
// and with the digest of the result. So a change to the defaults changes what was approved.
func (d Definition) complete(defaults settings) Definition {
	d = d.by(d.own, defaults)
	d.Digest = digest(d)
	if !d.Source.Trusted {
		d.Asks = d.Digest
	}
	return d
}

// by returns d with each setting from own, else from defaults, else as built in.
func (d Definition) by(own, defaults settings) Definition {
	scope := ScopeUser
	if d.Transport == Stdio {
		scope = ScopeWorkspace
	}
	d.Scope = cmp.Or(own.scope, defaults.scope, scope)
	d.Protocol = cmp.Or(own.protocol, defaults.protocol, protocolAuto)
	d.Roots = *cmp.Or(own.roots, defaults.roots, &Roots{})
	d.StartTimeout = cmp.Or(own.startTimeout, defaults.startTimeout)
	d.CallTimeout = cmp.Or(own.callTimeout, defaults.callTimeout)
	d.Sampling = cmp.Or(own.sampling, defaults.sampling, SamplingAsk)
	d.SamplingLimit = cmp.Or(own.samplingLimit, defaults.samplingLimit, Rate{samplingPerMinute, time.Minute})
	d.ElicitationLimit = cmp.Or(own.elicitationLimit, defaults.elicitationLimit, Rate{elicitationPerMinute, time.Minute})
	return d
}

// settings reads the settings of o.
func (o *object) settings() settings {
	const (
		version = `must be "auto" or a version of MCP, such as "2025-11-25"`
		timeout = `must be a time from "1ms" to "24h", written as "30s", "500ms" or "2m"`
		often   = `must be a number per second, minute or hour: "1/s", "10/m" or "100/h"`
	)
	return settings{
		scope:            choice(o, "scope", ScopeSession, ScopeWorkspace, ScopeUser),
		protocol:         parsed(o, "protocol", version, protocol),
		roots:            o.roots("roots"),
		startTimeout:     parsed(o, "startTimeout", timeout, duration),
		callTimeout:      parsed(o, "callTimeout", timeout, duration),
		sampling:         choice(o, "sampling", SamplingAsk, SamplingDeny),
		samplingLimit:    parsed(o, "samplingLimit", often, rate),
		elicitationLimit: parsed(o, "elicitationLimit", often, rate),
	}
}

// choice reads a key that takes one of a few values; "" when there is none.
func choice[T ~string](o *object, key string, values ...T) T {
	var names []string
	for _, v := range values {
		names = append(names, strconv.Quote(string(v)))
	}
	return parsed(o, key, "must be "+strings.Join(names, " or "), func(s string) (T, bool) {
		return T(s), slices.Contains(values, T(s))
	})
}

// protocol reads "auto" or a version of MCP, which is a date.
func protocol(s string) (string, bool) {
	_, err := time.Parse(time.DateOnly, s)
	return s, err == nil || s == protocolAuto
}

// roots reads "workspace", "none" or a list of paths and globs. An empty list is
// "none".
func (o *object) roots(key string) *Roots {
	v, ok := o.take(key)
	if !ok {
		return nil
	}
	switch v.Value.Kind() {
	case '[':
		entries, ok := o.listOf(v, key)
		switch {
		case !ok:
			return nil
		case len(entries) == 0:
			return &Roots{None: true}
		}
		return &Roots{Entries: entries}
	case '"':
		switch s, _ := o.textOf(v, key); s {
		case "workspace":
			return &Roots{}
		case "none":
			return &Roots{None: true}
		}
	}
	o.fail(v, `%s of %s must be "workspace", "none" or a list of paths and globs`, quote(key), o.what)
	return nil
}

// Limits on settings. What is beyond them is a slip of the pen.
const (
	maxTimeout = 24 * time.Hour
	maxRate    = 1_000_000
)

// duration reads a time such as "30s", more than zero and at most 24 hours.
func duration(s string) (time.Duration, bool) {
	d, err := time.ParseDuration(s)
	return d, err == nil && d > 0 && d <= maxTimeout
}

// rate reads a number of times in a second, minute or hour, such as "10/m".
func rate(s string) (Rate, bool) {
	number, unit, _ := strings.Cut(s, "/")
	per := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}[unit]
	n, err := strconv.Atoi(number)
	return Rate{N: n, Per: per}, err == nil && n > 0 && n <= maxRate && per > 0
}
