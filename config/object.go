package config

import (
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/mcp-editord/mcp-editord/internal/nearname"
)

// object is a JSON object to read key by key. It may have the keys that were asked for;
// [object.finish] reports all others. A member that is null counts as absent.
type object struct {
	doc     *document
	what    string // what it is, for messages: `server "x"`
	at      int    // its offset
	members []member
	asked   []string
	failed  *bool // set by a value that cannot be used; shared with the objects inside
}

type member struct {
	key   string
	at    int // of the key
	value hujson.Value
}

// object returns v as an object to read. When v is not an object, it reports that and returns
// false. failed becomes true when anything in v is wrong.
func (d *document) object(v hujson.Value, what string, failed *bool) (*object, bool) {
	o := &object{doc: d, what: what, at: v.StartOffset, failed: failed}
	tree, ok := v.Value.(*hujson.Object)
	if !ok {
		o.fail(v, "%s must be an object: {…}", what)
		return nil, false
	}
	index := make(map[string]int, len(tree.Members))
	for _, m := range tree.Members {
		entry := member{m.Name.Value.(hujson.Literal).String(), m.Name.StartOffset, m.Value}
		if i, twice := index[entry.key]; twice {
			d.repeats = true
			d.warnAt(entry.at, "%s has %s twice; the last one counts", what, quote(entry.key))
			o.members[i] = entry
			continue
		}
		index[entry.key] = len(o.members)
		o.members = append(o.members, entry)
	}
	return o, true
}

// fail reports that v cannot be used, nor what o is a part of.
func (o *object) fail(v hujson.Value, format string, args ...any) {
	*o.failed = true
	o.doc.errorAt(v.StartOffset, format, args...)
}

// take returns the value of key.
func (o *object) take(key string) (hujson.Value, bool) {
	o.asked = append(o.asked, key)
	for _, m := range o.members {
		if m.key == key {
			return m.value, m.value.Value.Kind() != 'n'
		}
	}
	return hujson.Value{}, false
}

// text returns the string of key. It refuses a NUL: no argument, path or header
// can have one.
func (o *object) text(key string) (string, bool) {
	v, ok := o.take(key)
	if !ok {
		return "", false
	}
	return o.textOf(v, key)
}

func (o *object) textOf(v hujson.Value, key string) (string, bool) {
	if v.Value.Kind() != '"' {
		o.fail(v, "%s of %s must be a string: \"…\"", quote(key), o.what)
		return "", false
	}
	s := v.Value.(hujson.Literal).String()
	if strings.ContainsRune(s, 0) {
		o.fail(v, "%s of %s contains a NUL; remove it", quote(key), o.what)
		return "", false
	}
	return s, true
}

// parsed returns what parse makes of the string of key. Where it makes nothing of it, or there is another value,
// must says what the value has to be, as the rest of a sentence.
func parsed[T any](o *object, key, must string, parse func(string) (T, bool)) (value T) {
	v, ok := o.take(key)
	if !ok {
		return value
	}
	text, ok := v.Value.(hujson.Literal)
	if ok = ok && text.Kind() == '"'; ok {
		value, ok = parse(text.String())
	}
	if !ok {
		o.fail(v, "%s of %s %s", quote(key), o.what, must)
	}
	return value
}

// boolean returns the boolean of key.
func (o *object) boolean(key string) (value, ok bool) {
	v, ok := o.take(key)
	if !ok {
		return false, false
	}
	if kind := v.Value.Kind(); kind != 't' && kind != 'f' {
		o.fail(v, "%s of %s must be true or false", quote(key), o.what)
		return false, false
	}
	return v.Value.(hujson.Literal).Bool(), true
}

// list returns the strings of key.
func (o *object) list(key string) ([]string, bool) {
	v, ok := o.take(key)
	if !ok {
		return nil, false
	}
	return o.listOf(v, key)
}

func (o *object) listOf(v hujson.Value, key string) ([]string, bool) {
	array, ok := v.Value.(*hujson.Array)
	if !ok {
		o.fail(v, "%s of %s must be a list of strings: [\"…\"]", quote(key), o.what)
		return nil, false
	}
	list := make([]string, 0, len(array.Elements))
	for _, element := range array.Elements {
		s, ok := o.textOf(element, key)
		if !ok {
			return nil, false
		}
		list = append(list, s)
	}
	return list, true
}

// object returns the object of key. Messages call it what.
func (o *object) object(key, what string) (*object, bool) {
	v, ok := o.take(key)
	if !ok {
		return nil, false
	}
	return o.doc.object(v, what, o.failed)
}

// texts returns the strings of the object of key; nil when there is none. check
// says what is wrong with a name and its value, "" when nothing is.
func texts[T ~string](o *object, key string, check func(name, value string) string) map[string]T {
	inner, ok := o.object(key, quote(key)+" of "+o.what)
	if !ok {
		return nil
	}
	all := make(map[string]T, len(inner.members))
	for _, m := range inner.members {
		if m.value.Value.Kind() == 'n' {
			continue
		}
		s, ok := inner.textOf(m.value, m.key)
		if !ok {
			continue
		}
		if wrong := check(m.key, s); wrong != "" {
			inner.fail(m.value, "%s in %s %s", quote(m.key), inner.what, wrong)
			continue
		}
		all[m.key] = T(s)
	}
	return all
}

// idle warns about known keys that do nothing here.
func (o *object) idle(why string, keys ...string) {
	for _, key := range keys {
		if _, ok := o.take(key); ok {
			o.doc.warnAt(o.keyAt(key), "%s of %s has no effect: %s", quote(key), o.what, why)
		}
	}
}

// keyAt returns the offset of key, or of the object when it has no such key.
func (o *object) keyAt(key string) int {
	for _, m := range o.members {
		if m.key == key {
			return m.at
		}
	}
	return o.at
}

// finish reports the members that nobody asked for. It is an error when a workspace file
// tries to approve itself; the rest of the file stays.
func (o *object) finish() {
	if o.doc.finished != nil {
		o.doc.finished(o)
	}
	for _, m := range o.members {
		if slices.Contains(o.asked, m.key) {
			continue
		}
		if len(o.doc.problems) > maxProblems {
			return // it would report no more, and searching for a near name takes long
		}
		if !o.doc.source.Trusted && approves(m.key) {
			o.doc.errorAt(m.at, "%s of %s is ignored: a workspace file cannot approve anything; approve the server in the editor or with mcp-editord approvals", quote(m.key), o.what)
			continue
		}
		if name := nearname.Of(m.key, o.asked); name != "" {
			o.doc.warnAt(m.at, "unknown key %s in %s; did you mean %q?", quote(m.key), o.what, name)
			continue
		}
		o.doc.warnAt(m.at, "unknown key %s in %s is ignored", quote(m.key), o.what)
	}
}

// approves reports whether other programs take key to mean that they need not ask.
func approves(key string) bool {
	names := []string{"approved", "trust", "trusted", "autoApprove", "alwaysAllow"}
	return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(key, name) })
}
