package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"

	"github.com/mcp-editord/mcp-editord/internal/secrets"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// ParseFile reads an mcp.json: JSON with comments and trailing commas, UTF-8,
// at most 1 MiB. It takes servers from "servers" (the spelling of VS Code) and
// "mcpServers" (of Claude and Cursor), and from the user's own file also "defaults", "credentials"
// and "registry".
//
// The Problems of the result say what is wrong. ParseFile leaves out a server that cannot be
// used, and only that one. A file that is not a JSON object at all is Broken.
//
// A file in a workspace folder is never trusted, whatever src says.
func ParseFile(data []byte, src Source) *File {
	if src.Folder != "" {
		src.Trusted = false
	}
	file := newDocument(src).file(data)
	file.content = contentOf(data)
	return file
}

// file reads a whole file.
func (d *document) file(data []byte) *File {
	src := d.source
	o, ok := d.parse(data, "the file")
	if !ok {
		return &File{Source: src, Problems: d.problems, Broken: true}
	}
	file := &File{Source: src}
	o.take("$schema") // for the editor that writes the file

	d.inputs(o, file)
	if src.Trusted {
		file.defaults = d.defaults(o)
		file.Registry = parsed(o, "registry", mustBeIssuer, func(text string) (string, bool) { return text, validIssuer(text) })
		file.Credentials = choice(o, "credentials", secrets.Keyring, secrets.File, secrets.Memory)
	} else {
		for _, key := range []string{"defaults", "credentials", "registry"} {
			if _, ok := o.take(key); ok {
				d.warnAt(o.keyAt(key), "%s has no effect here; it belongs in your own mcp.json", quote(key))
			}
		}
	}
	for _, key := range []string{"servers", "mcpServers"} {
		if servers, ok := o.object(key, quote(key)); ok {
			d.servers(servers, file)
		}
	}
	o.finish()
	file.Problems, file.Repeats = d.problems, d.repeats
	return file
}

// ParseServers reads the bare map of servers that an editor sends in
// initializationOptions.servers. Nothing, or null, is a file without servers.
func ParseServers(raw json.RawMessage, src Source) *File {
	file := &File{Source: src}
	if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || string(trimmed) == "null" {
		return file
	}
	doc := newDocument(src)
	o, ok := doc.parse(raw, "the servers")
	if !ok {
		return &File{Source: src, Problems: doc.problems, Broken: true}
	}
	doc.servers(o, file)
	file.Problems = doc.problems
	return file
}

// servers adds the servers of o to file.
func (d *document) servers(o *object, file *File) {
	for _, m := range o.members {
		if d.full {
			return
		}
		if m.value.Value.Kind() == 'n' {
			continue
		}
		definition, ok := d.server(m)
		if !ok {
			continue
		}
		if d.named[definition.Name] {
			d.repeats = true
			d.warnAt(m.at, "server %s is ignored here: it is in \"servers\" too", quote(m.key))
			continue
		}
		d.named[definition.Name] = true
		definition.used, definition.size = definition.variables(), m.value.EndOffset-m.value.StartOffset
		d.variables += definition.used.count
		if reason := d.over(len(file.Servers) + 1); reason != "" {
			d.full = true
			others := d.problems // this one must be shown, whatever else there is
			d.problems = nil
			d.errorAt(m.at, "server %s and all servers after it are ignored: the file has more than %s", quote(m.key), reason)
			d.problems = append(d.problems, others...)
			return
		}
		definition.inputs = d.inputsOf(definition, file, m.at)
		for _, input := range definition.inputs {
			definition.size += len(input.ID) + len(input.Default)
			for _, option := range input.Options {
				definition.size += len(option) + 1
			}
		}
		file.Servers = append(file.Servers, definition.complete(file.defaults))
		file.Places = append(file.Places, Place{textdoc.Span{Start: m.at, End: d.end(m.at)}, textdoc.Span{Start: m.at, End: m.value.EndOffset}})
	}
}

// over returns the limit that a file with this many servers exceeds, or "". The
// user's own files may have as much as there is room for.
func (d *document) over(servers int) string {
	switch {
	case d.source.Trusted:
	case servers > maxServers:
		return fmt.Sprintf("%d servers", maxServers)
	case d.variables > maxVariables:
		return fmt.Sprintf("%d variables", maxVariables)
	}
	return ""
}

// inputsOf returns the inputs of file that definition uses, in the order of the file. It
// warns about inputs that can never have a value.
func (d *document) inputsOf(definition Definition, file *File, at int) []Input {
	var places []int
	for _, id := range definition.InputIDs() {
		i, ok := d.inputAt[id]
		if !ok {
			d.warnAt(at, "server %s uses %s, but the file has no such input; define it in \"inputs\"", quote(definition.Name), variable("input:"+id))
			continue
		}
		places = append(places, i)
	}
	slices.Sort(places)
	var used []Input
	for _, i := range places {
		used = append(used, file.Inputs[i])
	}
	return used
}

// inputs reads "inputs".
func (d *document) inputs(o *object, file *File) {
	v, ok := o.take("inputs")
	if !ok {
		return
	}
	array, ok := v.Value.(*hujson.Array)
	if !ok {
		d.errorAt(v.StartOffset, `"inputs" must be a list: [{"id": "…", "type": "promptString"}]`)
		return
	}
	for _, element := range array.Elements {
		input, ok := d.input(element)
		if !ok {
			continue
		}
		if _, twice := d.inputAt[input.ID]; twice {
			d.warnAt(element.StartOffset, "input %s is defined twice; the first one counts", quote(input.ID))
			continue
		}
		d.inputAt[input.ID] = len(file.Inputs)
		file.Inputs = append(file.Inputs, input)
	}
}

func (d *document) input(v hujson.Value) (Input, bool) {
	var failed bool
	o, ok := d.object(v, "an input", &failed)
	if !ok {
		return Input{}, false
	}
	input := Input{Source: d.source}
	input.ID, _ = o.text("id")
	if input.ID != "" {
		o.what = "input " + quote(input.ID)
	} else if !failed {
		o.fail(v, `an input must have an "id"`)
	}
	input.Type = cmp.Or(choice(o, "type", promptString, pickString), promptString)
	input.Description, _ = o.text("description")
	input.Default, _ = o.text("default")
	input.Password, _ = o.boolean("password")
	input.Options, _ = o.list("options")
	if input.Type == pickString && len(input.Options) == 0 && !failed {
		o.fail(v, `%s must have "options" to pick from`, o.what)
	}
	o.finish()
	return input, !failed
}

// The values of [Input.Type].
const (
	promptString = "promptString"
	pickString   = "pickString"
)

// defaults reads "defaults". When anything in it is wrong, none of it applies.
func (d *document) defaults(o *object) settings {
	v, ok := o.take("defaults")
	if !ok {
		return settings{}
	}
	var failed bool
	inner, ok := d.object(v, `"defaults"`, &failed)
	if !ok {
		return settings{}
	}
	s := inner.settings()
	inner.finish()
	if failed {
		return settings{}
	}
	return s
}
