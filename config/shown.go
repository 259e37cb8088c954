package config

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"
)

// Shown is a definition as the user sees it before it may run: everything that the
// decision is about, as the file has it. Each remembered decision keeps one.
type Shown struct {
	Source       string            `json:"source"`           // URI of the file
	Folder       string            `json:"folder,omitempty"` // the folder that the file belongs to
	Transport    string            `json:"transport"`
	Command      string            `json:"command,omitempty"`
	Args         []string          `json:"args,omitempty"`
	Env          []string          `json:"env,omitempty"`         // the names, sorted
	Environment  map[string]string `json:"environment,omitempty"` // the same with values
	EnvFile      string            `json:"envFile,omitempty"`
	Cwd          string            `json:"cwd,omitempty"`
	URL          string            `json:"url,omitempty"`
	Headers      []string          `json:"headers,omitempty"`      // the names, sorted
	HeaderValues map[string]string `json:"headerValues,omitempty"` // the same with values

	Takes    []string `json:"takes,omitempty"`    // see [Definition.Takes], sorted
	Warnings []string `json:"warnings,omitempty"` // see [Definition.Warnings]

	// Settings that are as built in are left out.
	Scope            string                       `json:"scope,omitempty"`
	Protocol         string                       `json:"protocol,omitempty"`
	Roots            []string                     `json:"roots,omitzero"` // empty for "none"
	Sampling         string                       `json:"sampling,omitempty"`
	SamplingLimit    string                       `json:"samplingLimit,omitempty"`
	ElicitationLimit string                       `json:"elicitationLimit,omitempty"`
	OAuth            *OAuth                       `json:"oauth,omitempty"` // a relative PrivateKeyFile with the folder that it leads to
	Bind             map[string]map[string]string `json:"bind,omitempty"`  // by name or pattern of the tool, then by argument
	Inputs           []ShownInput                 `json:"inputs,omitempty"`
	Agents           map[string]AgentRule         `json:"agents,omitempty"` // by name or pattern of the tool

	// TooLarge means that only the source, the folder and the transport were kept.
	TooLarge bool `json:"tooLarge,omitempty"`
}

// ShownInput is the part of an [Input] that decides which value it can get.
type ShownInput struct {
	ID      string   `json:"id"`
	Type    string   `json:"type"`
	Default string   `json:"default,omitempty"`
	Options []string `json:"options,omitempty"`
}

// maxKept is the limit for the Shown that a decision keeps, in bytes of JSON.
const maxKept = 64 << 10

// Shown returns what to show of d, which must not be expanded: variables stay as
// they are in the file. The Cwd of a server of a workspace file is the directory that it leads
// to: see [Definition.Where].
func (d Definition) Shown() Shown {
	if d.Enters != "" {
		return d.shownEntering()
	}
	s := Shown{
		Source:       d.Source.URI,
		Folder:       d.Source.Folder,
		Transport:    string(d.Transport),
		Command:      d.Command,
		Args:         slices.Clone(d.Args),
		Env:          slices.Sorted(maps.Keys(d.Env)),
		Environment:  maps.Clone(d.Env),
		EnvFile:      d.EnvFile,
		Cwd:          d.Cwd,
		URL:          d.URL,
		Headers:      slices.Sorted(maps.Keys(d.Headers)),
		HeaderValues: maps.Clone(d.Headers),
		Takes:        slices.Sorted(slices.Values(d.Takes())),
		Warnings:     d.Warnings(),
		Bind:         d.bindings(),
		Inputs:       d.shownInputs(),
		Agents:       maps.Clone(d.Agents),
	}
	if d.Transport == Stdio && d.Source.Folder != "" {
		s.Cwd, _ = d.Where()
	}
	builtin := d.by(settings{}, settings{})
	s.Scope = unless(string(d.Scope), string(builtin.Scope))
	s.Protocol = unless(d.Protocol, builtin.Protocol)
	s.Sampling = unless(string(d.Sampling), string(builtin.Sampling))
	s.SamplingLimit = unless(d.SamplingLimit.String(), builtin.SamplingLimit.String())
	s.ElicitationLimit = unless(d.ElicitationLimit.String(), builtin.ElicitationLimit.String())
	switch {
	case d.Roots.None:
		s.Roots = []string{}
	case d.Roots.Entries != nil:
		s.Roots = slices.Clone(d.Roots.Entries)
	}
	if d.OAuth != nil {
		oauth := *d.OAuth
		oauth.PrivateKeyFile = d.beside(oauth.PrivateKeyFile)
		s.OAuth = &oauth
	}
	return s
}

func (d Definition) shownInputs() (inputs []ShownInput) {
	for _, input := range d.inputs {
		inputs = append(inputs, ShownInput{input.ID, input.Type, input.Default, input.Options})
	}
	return inputs
}

// shownEntering returns what to show of a server of the user's that enters a folder: what runs,
// and by what it enters. The rest of the environment is the user's own, and may be secret.
func (d Definition) shownEntering() Shown {
	d.Env = d.envOfFolder()
	s := Shown{
		Source: d.Source.URI, Folder: d.Enters, Transport: string(d.Transport),
		Command: d.Command, Args: slices.Clone(d.Args),
		Env: slices.Sorted(maps.Keys(d.Env)), Environment: d.Env, EnvFile: d.EnvFile,
		Warnings: append([]string{"It would run in the folder or use files from it, and these can then decide what it does."}, d.Warnings()...),
	}
	s.Cwd, _ = d.Where()
	return s
}

// unless returns value, or "" when it is the built-in one.
func unless(value, builtin string) string {
	if value == builtin {
		return ""
	}
	return value
}

// kept returns s, without its details when it is too large to keep.
func (s Shown) kept() Shown {
	if b, err := json.Marshal(s); err == nil && len(b) <= maxKept {
		return s
	}
	return Shown{Source: s.Source, Folder: s.Folder, Transport: s.Transport, TooLarge: true}
}

// bindings returns the values of "bind" by tool and argument, nil when there are none.
func (d Definition) bindings() map[string]map[string]string {
	var bind map[string]map[string]string
	for pattern, rule := range d.Tools {
		if len(rule.Bind) > 0 {
			if bind == nil {
				bind = map[string]map[string]string{}
			}
			bind[pattern] = rule.Bind
		}
	}
	return bind
}

// String returns r as a file writes it: "10/m".
func (r Rate) String() string {
	return strconv.Itoa(r.N) + "/" + map[time.Duration]string{time.Second: "s", time.Minute: "m", time.Hour: "h"}[r.Per]
}
