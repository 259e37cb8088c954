package config

import (
	"maps"
	"slices"
)

// Shown is a definition as a person sees it before it may run: what exactly is
// started or called. Of environment and headers it has the names, sorted, and never the
// values. It is also what is kept of a decision.
type Shown struct {
	Source    string   `json:"source"` // URI of the file
	Transport string   `json:"transport"`
	Command   string   `json:"command,omitempty"`
	Args      []string `json:"args,omitempty"`
	Env       []string `json:"env,omitempty"`
	EnvFile   string   `json:"envFile,omitempty"`
	Cwd       string   `json:"cwd,omitempty"`
	URL       string   `json:"url,omitempty"`
	Headers   []string `json:"headers,omitempty"`
}

// Shown returns what to show of d. Variables are shown as d has them: those of a
// definition that was not expanded stay in, as they are in the file.
func (d Definition) Shown() Shown {
	return Shown{
		Source:    d.Source.URI,
		Transport: string(d.Transport),
		Command:   d.Command,
		Args:      slices.Clone(d.Args),
		Env:       slices.Sorted(maps.Keys(d.Env)),
		EnvFile:   d.EnvFile,
		Cwd:       d.Cwd,
		URL:       d.URL,
		Headers:   slices.Sorted(maps.Keys(d.Headers)),
	}
}
