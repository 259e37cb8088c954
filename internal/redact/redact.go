// Package redact takes secrets out of text that people are about to show to others.
//
// It knows a secret by its form or by the name before it, and takes out too much rather than too little. A secret that
// looks like a word, and has no name, it does not know: who shows the text has to read it first.
package redact

import (
	"regexp"
	"strings"
	"sync"
)

// Hidden stands for what was taken out.
const Hidden = "[hidden]"

// secretWord is in the names of what is secret.
const secretWord = `(?:token|secret|passw|pwd|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|auth|cookie|session[_-]?id|signature)`

// What names say, as [Words]. It is better to take a value for a secret in vain than to show one.
// All expressions are compiled when they are first needed: most processes never do.
var (
	secretName = lazily(`(token|secret|passw(or)?d|pwd|passphrase|credentials?|authorization|cookie|` +
		`signature|session_?id|(api|access|private|signing)_?key)(_|[0-9]|$)|(^|_)(key|pat|auth|pass|bearer|jwt)(_|$)`)
	plainName = lazily(`_(file|path|dir|url|uri|endpoint|name|type|limit|ttl|timeout|mode)$`)
	camel     = lazily(`([a-z0-9])([A-Z])`)
	noWord    = lazily(`[^a-z0-9]+`)
)

// lazily returns a function that returns an expression.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// Words returns the words of a name, as a_b_c.
func Words(name string) string {
	name = strings.ToLower(camel().ReplaceAllString(name, "${1}_$2"))
	return strings.Trim(noWord().ReplaceAllString(name, "_"), "_")
}

// SecretName reports whether a variable, a header or an input of that name probably has a secret.
func SecretName(name string) bool {
	words := Words(name)
	return secretName().MatchString(words) && !plainName().MatchString(words)
}

// rules are applied one after the other.
var rules = []struct {
	form func() *regexp.Regexp
	with string
}{
	{lazily(`(?s)-----BEGIN [^-]*KEY-----.*?(?:-----END [^-]*KEY-----|$)`), Hidden},
	{lazily(`(://)[^/@\s"']+@`), "${1}" + Hidden + "@"},               // of a URL
	{lazily(`([?&][^=\s&#"']+=)[^&\s#"']+`), "${1}" + Hidden},         // of its query
	{lazily(`(?i)\b(bearer|basic)[ \t]+[^\s"',]+`), "${1} " + Hidden}, // of a header
	{lazily(`(?i)([\w.-]*` + secretWord + `[\w.-]*\\?["']?[ \t]*[:=][ \t]*)(?:\\?"[^"]*"|'[^']*'|[^\s"',;]+)`), "${1}" + Hidden},
	{lazily(`(?i)(--?[\w-]*` + secretWord + `[\w-]*[ \t]+)[^\s"'-][^\s"']*`), "${1}" + Hidden},
	{lazily(`\beyJ[\w-]{8,}\.[\w.-]+`), Hidden}, // JWT
	{lazily(`\b(?:sk|pk|rk|gh[a-z]|github_pat|glpat|xox[a-z]|ya29|npm|pypi|hf|dop_v1)[-_.][\w-]{8,}`), Hidden},
	{lazily(`\b(?:AKIA|ASIA|AIza)[\w-]{12,}`), Hidden},
	{lazily(`(/(?:home|Users)/|(?i:\b[A-Z]:\\Users\\))[^/\\\s:"']+`), "~"},
}

// random is a word as nobody writes one: long, of letters and digits.
var random = lazily(`[A-Za-z0-9+_=-]{32,}`)

// Text returns text without what looks like a secret, and with ~ for home, a path, and for other home directories.
func Text(text, home string) string {
	if len(home) > 1 {
		text = strings.ReplaceAll(text, strings.TrimRight(home, `/\`), "~")
	}
	for _, rule := range rules {
		text = rule.form().ReplaceAllString(text, rule.with)
	}
	return random().ReplaceAllStringFunc(text, func(word string) string {
		if strings.ContainsAny(word, "0123456789") && strings.ContainsAny(strings.ToLower(word), "abcdefghijklmnopqrstuvwxyz") {
			return Hidden
		}
		return word
	})
}
