package config

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// Rule returns what the configuration says about one tool. For each key, and for each
// bound argument, the most specific pattern that says something wins:
// the name itself, then the pattern with the most characters that are not wildcards.
func (d Definition) Rule(tool string) ToolRule {
	if len(d.Tools) == 0 {
		return ToolRule{}
	}
	rule := ToolRule{Bind: map[string]string{}}
	said := false
	for _, pattern := range patternsFor(d.Tools, tool) {
		r := d.Tools[pattern]
		if !said && (r.Hidden || r.shown) {
			rule.Hidden, said = r.Hidden, true
		}
		for argument, value := range r.Bind {
			if _, bound := rule.Bind[argument]; !bound {
				rule.Bind[argument] = value
			}
		}
	}
	return rule
}

// AgentRule returns what agents may do with one tool: what the most specific pattern says, in the
// order of [Definition.Rule], and [AgentAllow] where none says anything.
func (d Definition) AgentRule(tool string) AgentRule {
	for _, pattern := range patternsFor(d.Agents, tool) {
		return d.Agents[pattern]
	}
	return AgentAllow
}

// patternsFor returns the patterns of rules that match tool, the most specific first.
func patternsFor[R any](rules map[string]R, tool string) []string {
	var patterns []string
	for pattern := range rules {
		if pattern == tool || matches(pattern, tool) {
			patterns = append(patterns, pattern)
		}
	}
	slices.SortFunc(patterns, func(a, b string) int { return moreSpecific(a, b, tool) })
	return patterns
}

// moreSpecific orders patterns that match tool. It is less than 0 when a wins over b.
func moreSpecific(a, b, tool string) int {
	switch {
	case a == tool:
		return -1
	case b == tool:
		return 1
	}
	literals := func(p string) int { return len(p) - strings.Count(p, "*") - strings.Count(p, "?") }
	return cmp.Or(
		literals(b)-literals(a),
		strings.Count(a, "*")-strings.Count(b, "*"),
		strings.Count(b, "?")-strings.Count(a, "?"),
		strings.Compare(a, b),
	)
}

// globs is for [path.Match], which knows more than * and ?, and has both of them stop at a slash.
var globs = strings.NewReplacer(`\`, `\\`, "[", `\[`, "/", "\x00")

// matches reports whether name matches pattern, in which * stands for any
// characters and ? for one. It takes at most len(pattern)*len(name) steps.
func matches(pattern, name string) bool {
	found, _ := path.Match(globs.Replace(pattern), strings.ReplaceAll(name, "/", "\x00"))
	return found
}
