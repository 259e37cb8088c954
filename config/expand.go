package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

// Expand returns d ready to start: it puts variables in everywhere but in the
// bindings of tools, reads the envFile and merges it under Env, makes Cwd and the privateKeyFile
// absolute, and a command with a slash absolute against Cwd. A command without a slash stays, to be looked up in PATH. The
// digest stays as it is.
//
// For a definition of a workspace file, the folder is the folder of the file, which is also the
// Cwd when there is none. For a definition of the user's it is v.Folder, and only where the
// definition says so: without a cwd, Cwd stays "", and a path that turns out to be relative is an
// error.
//
// One error names all variables without a value.
func (d Definition) Expand(v Vars) (Definition, error) {
	if d.Source.Folder != "" {
		v.Folder = d.Source.Folder
	}
	var missing []string
	known := map[string]bool{}
	value := func(name string) string {
		value, ok := v.value(name, nil)
		if !ok && !known[name] {
			known[name] = true
			missing = append(missing, variable(name))
		}
		return value
	}
	each := func(text string) string { return expandText(text, value) }
	expanded := d.with(each)
	if len(missing) > 0 {
		return Definition{}, fmt.Errorf("server %s needs a value for %s; set one or remove it from the configuration", quote(d.Name), strings.Join(missing, ", "))
	}

	ready := expanded.readyRemote
	if d.Transport == Stdio {
		ready = expanded.readyStdio
	}
	folder := v.Folder
	if d.Source.Folder == "" && !d.entersFolder() {
		folder = "" // nobody was asked
	}
	expanded, err := ready(folder)
	if err != nil {
		return Definition{}, fmt.Errorf("server %q: %w", d.Name, err)
	}
	return expanded, nil
}

// ShownArgs returns the arguments of d for somebody to look at: the variables are put in, but an argument
// with an input or a variable of the environment stays as it is, since that may be a secret.
func (d Definition) ShownArgs(v Vars) []string {
	if d.Source.Folder != "" {
		v.Folder = d.Source.Folder
	}
	v.Env, v.Inputs = nil, nil
	return mapList(d.Args, func(arg string) string {
		if expanded, ok := ExpandBind(arg, v, nil); ok {
			return expanded
		}
		return arg
	})
}

// readyStdio makes the paths of d absolute, reads its envFile, and checks what goes
// to the system. The variables are in already.
func (d Definition) readyStdio(folder string) (Definition, error) {
	if d.Command == "" {
		return d, errors.New("its command is empty; set it")
	}
	if d.Cwd == "" {
		d.Cwd = d.Source.Folder
	}
	if d.Cwd != "" && !filepath.IsAbs(d.Cwd) {
		if folder == "" {
			return d, errors.New("its cwd is relative to no folder; make it absolute")
		}
		d.Cwd = filepath.Join(folder, d.Cwd)
	}
	if !filepath.IsAbs(d.Command) && strings.ContainsFunc(d.Command, isSeparator) {
		dir := cmp.Or(d.Cwd, folder)
		if dir == "" {
			return d, errors.New("its command is relative to no folder; make it absolute or set cwd")
		}
		d.Command = filepath.Join(dir, d.Command)
	}
	if d.EnvFile != "" {
		path, err := d.besideFile(d.EnvFile, folder)
		if err != nil {
			return d, fmt.Errorf("its envFile %w", err)
		}
		env, err := readEnvFile(path)
		if err != nil {
			return d, err
		}
		maps.Copy(env, d.Env)
		d.Env = env
	}

	for _, text := range append([]string{d.Command, d.Cwd}, d.Args...) {
		if strings.ContainsRune(text, 0) {
			return d, errors.New("its command, cwd or arguments contain a NUL; remove it")
		}
	}
	for name, value := range d.Env {
		if strings.ContainsRune(value, 0) {
			return d, fmt.Errorf("the value of %q in its environment contains a NUL; remove it", name)
		}
	}
	return d, nil
}

func isSeparator(r rune) bool { return r == '/' || r == filepath.Separator }

// besideFile makes path absolute: it is relative to the folder of the file that defines d, else to
// the workspace folder.
func (d Definition) besideFile(path, folder string) (string, error) {
	if filepath.IsAbs(path) {
		return path, nil
	}
	if file, err := fileuri.ToPath(d.Source.URI); err == nil {
		folder = filepath.Dir(file)
	}
	if folder == "" {
		return "", errors.New("is relative to no folder; make it absolute")
	}
	return filepath.Join(folder, path), nil
}

// readyRemote checks what goes to the server. The variables are in already.
func (d Definition) readyRemote(folder string) (Definition, error) {
	if !validURL(d.URL) {
		return d, errors.New("its url must be an http: or https: URL with a host")
	}
	for name, value := range d.Headers {
		if !httpguts.ValidHeaderFieldValue(value) {
			return d, fmt.Errorf("the value of its header %q contains a line break or control character; remove it", name)
		}
	}
	oauth, err := d.readyOAuth(folder)
	if err != nil {
		return d, err
	}
	d.OAuth = oauth
	return d, nil
}
