package config

import (
	"fmt"
	"regexp"
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

var (
	envPattern   = regexp.MustCompile(`(?s)^(?:export[ \t]+)?([^ \t=]+)[ \t]*=[ \t]*("(?:[^"\\]|\\.)*"|'[^']*')?(.*)$`)
	envComment   = regexp.MustCompile(`(?s)(?:^|[ \t])#.*$`)
	envUnescaped = strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\t`, "\t", `\"`, `"`, `\\`, `\`)
)

// envLine reads one line without white space around it.
func envLine(line string) (key, value string, ok bool) {
	parts := envPattern.FindStringSubmatch(line)
	if parts == nil || !validEnvName(parts[1]) {
		return "", "", false
	}
	key, value = parts[1], parts[2]
	rest := strings.TrimSpace(envComment.ReplaceAllString(parts[3], ""))
	switch {
	case value == "":
		return key, rest, !strings.HasPrefix(rest, `"`) && !strings.HasPrefix(rest, "'")
	case value[0] == '"':
		value = envUnescaped.Replace(value)
	}
	return key, value[1 : len(value)-1], rest == ""
}
