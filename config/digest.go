package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// digested is the input of a [Definition.Digest]: its members in this order,
// names of maps sorted, absent and empty the same. A change to this type makes every approval
// void: add members at the end with omitempty, and leave Format alone.
type digested struct {
	Format   int    `json:"format"`
	URI      string `json:"uri"`
	Resolved string `json:"resolved,omitempty"`
	Name     string `json:"name"`

	Transport Transport         `json:"transport"`
	Command   string            `json:"command,omitempty"`
	Args      []string          `json:"args,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
	EnvFile   string            `json:"envFile,omitempty"`
	Cwd       string            `json:"cwd,omitempty"`
	URL       string            `json:"url,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	OAuth     *OAuth            `json:"oauth,omitempty"`

	Scope         Scope                        `json:"scope"`
	Protocol      string                       `json:"protocol"`
	Roots         Roots                        `json:"roots"`
	Sampling      SamplingPolicy               `json:"sampling"`
	SamplingLimit Rate                         `json:"samplingLimit"`
	Bind          map[string]map[string]string `json:"bind,omitempty"`
	Inputs        []ShownInput                 `json:"inputs,omitempty"`

	ElicitationLimit Rate `json:"elicitationLimit,omitzero"` // zero for the built-in limit

	// Where a server of a workspace file runs, and which program: see [Definition.Where].
	Dir     string `json:"dir,omitempty"`
	Program string `json:"program,omitempty"`

	Agents map[string]AgentRule `json:"agents,omitempty"` // of a workspace file
}

// digest returns the digest of d, whose settings are complete.
func digest(d Definition) string {
	content := digested{
		Format:        1,
		URI:           d.Source.URI,
		Resolved:      d.Source.Resolved,
		Name:          d.Name,
		Transport:     d.Transport,
		Command:       d.Command,
		Args:          d.Args,
		Env:           d.Env,
		EnvFile:       d.EnvFile,
		Cwd:           d.Cwd,
		URL:           d.URL,
		Headers:       d.Headers,
		OAuth:         d.OAuth,
		Scope:         d.Scope,
		Protocol:      d.Protocol,
		Roots:         d.Roots,
		Sampling:      d.Sampling,
		SamplingLimit: d.SamplingLimit,
		Bind:          d.bindings(),
		Inputs:        d.shownInputs(),
	}
	if d.ElicitationLimit != (Rate{elicitationPerMinute, time.Minute}) {
		content.ElicitationLimit = d.ElicitationLimit
	}
	if d.Source.Folder != "" && d.Transport == Stdio {
		content.Dir, content.Program = d.Where()
	}
	if !d.Source.Trusted {
		content.Agents = d.Agents
	}
	return hashOf(content)
}

// hashOf returns the SHA-256 of a value as JSON, in hex.
func hashOf(content any) string {
	b, err := json.Marshal(content)
	if err != nil {
		panic("config: " + err.Error()) // strings, numbers and maps of strings always marshal
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
