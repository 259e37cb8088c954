package config

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Vars holds the values of variables.
//
// A variable is ${name} with one of these names: workspaceFolder,
// workspaceFolderBasename, userHome, env:NAME, input:ID; in bindings of tools also
// those that say where the user is: file, relativeFile, fileDirname, fileBasename, lineNumber, selectedText,
// languageId; where one has no value, it is absent. Every other name is a variable without a value. What has no } is text, and
// so is what is around the variable in ${${x}}.
type Vars struct {
	Folder string            // the first workspace folder; "" when there is none
	Home   string            // "" when there is none
	Env    map[string]string // the editor's environment
	Inputs map[string]string // by id
}

func (v Vars) value(name string, context map[string]string) (string, bool) {
	switch name {
	case "workspaceFolder":
		return v.Folder, v.Folder != ""
	case "workspaceFolderBasename":
		return filepath.Base(v.Folder), v.Folder != ""
	case "userHome":
		return v.Home, v.Home != ""
	}
	if key, ok := strings.CutPrefix(name, "env:"); ok {
		value, ok := v.Env[key]
		return value, ok
	}
	if id, ok := strings.CutPrefix(name, "input:"); ok {
		value, ok := v.Inputs[id]
		return value, ok
	}
	value, ok := context[name]
	return value, ok
}

// variable returns a variable as a file writes it, fit for a message.
func variable(name string) string { return strings.Trim(quote("${"+name+"}"), `"`) }

// ExpandBind puts the variables into text, the value of a [ToolRule.Bind]. It
// returns false when one of them has no value.
func ExpandBind(text string, v Vars, context map[string]string) (string, bool) {
	all := true
	expanded := expandText(text, func(name string) string {
		value, ok := v.value(name, context)
		all = all && ok
		return value
	})
	if !all {
		return "", false
	}
	return expanded, true
}

// IsPlace reports whether text, the value of a [ToolRule.Bind], is the path of a file or a folder and nothing
// else.
func IsPlace(text string) bool {
	return text == "${file}" || text == "${fileDirname}" || text == "${workspaceFolder}"
}

// variablePattern is a variable. There is no variable with another one in its name: then that is the variable.
var variablePattern = regexp.MustCompile(`\$\{[^{}]*\}`)

// expandText returns text with the value of each variable in its place.
func expandText(text string, value func(name string) string) string {
	return variablePattern.ReplaceAllStringFunc(text, func(variable string) string {
		return value(variable[len("${") : len(variable)-len("}")])
	})
}

// with returns d with f applied to every text but the bindings of tools. d's maps and lists stay as they are.
func (d Definition) with(f func(string) string) Definition {
	d.Command = f(d.Command)
	d.Args = mapList(d.Args, f)
	d.Env = mapTexts(d.Env, f)
	d.EnvFile = f(d.EnvFile)
	d.Cwd = f(d.Cwd)
	d.URL = f(d.URL)
	d.Headers = mapTexts(d.Headers, f)
	if d.OAuth != nil {
		d.OAuth = d.OAuth.with(f)
	}
	d.Roots.Entries = mapList(d.Roots.Entries, f)
	return d
}

// with returns a copy of a with f applied to every text but the grant.
func (a *OAuth) with(f func(string) string) *OAuth {
	oauth := *a
	oauth.ClientID = f(oauth.ClientID)
	oauth.ClientSecret = f(oauth.ClientSecret)
	oauth.ClientMetadataURL = f(oauth.ClientMetadataURL)
	oauth.Issuer = f(oauth.Issuer)
	oauth.Scopes = mapList(oauth.Scopes, f)
	oauth.PrivateKeyFile = f(oauth.PrivateKeyFile)
	oauth.KeyID = f(oauth.KeyID)
	if e := oauth.Enterprise; e != nil {
		oauth.Enterprise = &Enterprise{Issuer: f(e.Issuer), ClientID: f(e.ClientID), ClientSecret: f(e.ClientSecret)}
	}
	return &oauth
}

// mapList returns list with f applied to each text; nil stays nil.
func mapList(list []string, f func(string) string) []string {
	if list == nil {
		return nil
	}
	mapped := make([]string, len(list))
	for i, s := range list {
		mapped[i] = f(s)
	}
	return mapped
}

// mapTexts returns texts with f applied to the values, in the order of their
// names; nil stays nil.
func mapTexts(texts map[string]string, f func(string) string) map[string]string {
	if texts == nil {
		return nil
	}
	mapped := make(map[string]string, len(texts))
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		mapped[name] = f(texts[name])
	}
	return mapped
}
