package config

import (
	"fmt"
	"strings"
)

// readEnvFile reads a file of KEY=VALUE lines, at most 1 MiB.
//
// It skips empty lines, lines that begin with #, and `export ` before a key. A value in
// double quotes may have \n, \r, \t, \" and \\. A value in single quotes stays as it
// is. Any other value ends before " #" and loses the white space around it.
// Variables are not put in. Errors name the line, never its content.
func readEnvFile(path string) (map[string]string, error) {
	data, err := readRegular(path)
	if err != nil {
		return nil, fmt.Errorf("reading its envFile: %w", err)
	}
	if len(data) > maxFileBytes {
		return nil, fmt.Errorf("its envFile %q is larger than 1 MiB; keep only what the server needs", path)
	}
	env := map[string]string{}
	text := strings.TrimPrefix(string(data), "\ufeff")
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, ok := envLine(line)
		if !ok {
			return nil, fmt.Errorf("line %d of its envFile %q must be KEY=VALUE, with closed quotes", number, path)
		}
		env[key] = value
	}
	return env, nil
}

// envLine reads one line without white space around it.
func envLine(line string) (key, value string, ok bool) {
	if rest, exported := strings.CutPrefix(line, "export"); exported && strings.TrimLeft(rest, " \t") != rest {
		line = strings.TrimLeft(rest, " \t")
	}
	key, value, ok = strings.Cut(line, "=")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if !ok || !validEnvName(key) || strings.ContainsAny(key, " \t") {
		return "", "", false
	}
	switch {
	case strings.HasPrefix(value, `"`):
		value, ok = doubleQuoted(value[1:])
	case strings.HasPrefix(value, "'"):
		var rest string
		value, rest, ok = strings.Cut(value[1:], "'")
		ok = ok && onlyComment(rest)
	default:
		value = uncommented(value)
	}
	return key, value, ok
}

// uncommented returns value without the comment at its end.
func uncommented(value string) string {
	for i := range len(value) {
		if value[i] == '#' && (i == 0 || value[i-1] == ' ' || value[i-1] == '\t') {
			return strings.TrimSpace(value[:i])
		}
	}
	return value
}

// doubleQuoted returns the text before the closing quote in s.
func doubleQuoted(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), onlyComment(s[i+1:])
		case s[i] == '\\' && i+1 < len(s):
			i++
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case 'r':
				b.WriteByte('\r')
			case 't':
				b.WriteByte('\t')
			case '"', '\\':
				b.WriteByte(s[i])
			default:
				b.WriteByte('\\')
				b.WriteByte(s[i])
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return "", false
}

// onlyComment reports whether nothing but white space and a comment follows a
// closing quote.
func onlyComment(rest string) bool {
	rest = strings.TrimSpace(rest)
	return rest == "" || strings.HasPrefix(rest, "#")
}
