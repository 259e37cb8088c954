package config

import (
	"maps"
	"slices"
	"strings"
)

// variables are the variables in the texts of a [Definition].
type variables struct {
	count  int      // how often a variable occurs
	env    []string // NAME of each ${env:NAME}, in the order of their use, once each
	inputs []string // ID of each ${input:ID}, in the same way
	folder bool     // the program, or what goes to the URL, uses one that leads to the workspace folder
}

// variables returns the variables of d. It searches the texts of d once.
func (d Definition) variables() *variables {
	if d.used != nil {
		return d.used
	}
	v := &variables{}
	env, inputs := map[string]bool{}, map[string]bool{}
	collect := func(name string) string {
		v.count++
		if key, ok := strings.CutPrefix(name, "env:"); ok && !env[key] {
			env[key] = true
			v.env = append(v.env, key)
		}
		if id, ok := strings.CutPrefix(name, "input:"); ok && !inputs[id] {
			inputs[id] = true
			v.inputs = append(v.inputs, id)
		}
		return ""
	}
	each := func(text string) string { return expandText(text, collect) }
	d.with(each)
	for _, pattern := range slices.Sorted(maps.Keys(d.Tools)) {
		mapTexts(d.Tools[pattern].Bind, each)
	}
	d.Roots = Roots{} // they are told to the server, and decide nothing
	d.with(func(text string) string {
		v.folder = v.folder || usesFolder(text)
		return text
	})
	return v
}

// usesFolder reports whether text has a variable that leads to the workspace folder.
func usesFolder(text string) bool {
	return strings.Contains(text, "${workspaceFolder}") || strings.Contains(text, "${workspaceFolderBasename}")
}

// InputIDs returns the ids of all ${input:ID} that d uses, bindings of tools
// included, in a stable order and once each.
func (d Definition) InputIDs() []string { return d.variables().inputs }

// Takes returns the names of all ${env:NAME} that d uses, bindings of tools included, in a
// stable order and once each: what it takes from the environment of the editor.
func (d Definition) Takes() []string { return d.variables().env }

// Takes returns the names of all ${env:NAME} that the servers of f use, sorted.
func (f *File) Takes() []string {
	var names []string
	for _, d := range f.Servers {
		names = append(names, d.Takes()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
