package candidate

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

var (
	shellVariable = pattern(`^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*|(?:env|input):[^{}]+)\})`)
	angled        = pattern(`^<[A-Za-z][^<>|&;]*>`)
	assignment    = pattern(`^[A-Za-z_]\w*=`)
)

// split splits a command line as a POSIX shell does. $VAR becomes ${env:VAR}. It refuses what only a shell can do.
func split(line string) (split []string, err error) {
	var word strings.Builder
	started, quote := false, byte(0)
	end := func() {
		if started {
			split = append(split, word.String())
		}
		word.Reset()
		started = false
	}
	line = strings.ReplaceAll(strings.TrimPrefix(line, "$ "), "\\\n", " ") // without a prompt, in one line
	for line != "" {
		c, text, length := line[0], line[:1], 1 // what is in the line, and what it means
		switch {
		case quote == 0 && (c == ' ' || c == '\t' || c == '\r'):
			end()
			line = line[1:]
			continue
		case quote == 0 && c == '#' && !started:
			line = strings.TrimLeftFunc(line, func(r rune) bool { return r != '\n' })
			continue
		case c == quote:
			quote, text = 0, ""
		case quote == '\'':
		case c == '\\' && len(line) > 1 && (quote == 0 || strings.IndexByte("$`\"\\\n", line[1]) >= 0):
			text, length = line[1:2], 2
		case c == '$' && shellVariable().MatchString(line):
			m := shellVariable().FindStringSubmatch(line)
			name := cmp.Or(m[1], m[2])
			if !known().MatchString(name) {
				name = "env:" + name
			}
			text, length = "${"+name+"}", len(m[0])
		case quote == 0 && c == '<' && angled().MatchString(line): // as READMEs write what you have to put in
			text = angled().FindString(line)
			length = len(text)
		case c == '`', strings.HasPrefix(line, "$("), strings.HasPrefix(line, "${"),
			quote == 0 && strings.IndexByte("|;&<>()\n", c) >= 0:
			return nil, fmt.Errorf("the line has %q, which needs a shell; give one command without it", c)
		case quote != 0:
		case c == '"', c == '\'':
			quote, text = c, ""
		case c == '~' && !started && (len(line) == 1 || line[1] == '/' || line[1] == ' '):
			text = "${userHome}"
		}
		word.WriteString(text)
		started, line = true, line[length:]
	}
	if quote != 0 {
		return nil, fmt.Errorf("the line has a %c without the one that closes it", quote)
	}
	end()
	return split, nil
}

// fromWords reads the words of a command line: a program with its arguments, or how one adds a server to an agent.
func fromWords(given []string, o Options) (Parsed, error) {
	env := map[string]string{}
	for len(given) > 0 && assignment().MatchString(given[0]) {
		key, value, _ := strings.Cut(given[0], "=")
		env[key] = value
		given = given[1:]
	}
	switch {
	case len(given) == 0:
		return Parsed{}, errors.New("the line has no command; " + forms)
	case len(given) > 2 && (given[1] == "mcp" && strings.HasPrefix(given[2], "add") || given[1] == "--add-mcp"):
		return Parsed{}, errors.New("the line is for another program; give the command, the URL or the JSON in it")
	case len(given) == 2 && isName(given[0]) && reference().MatchString(given[1]): // both in one text
		o.Name = cmp.Or(o.Name, given[0])
		return Parse(given[1:], o)
	}
	return one(made(o.Name, "a command line", definition{Command: given[0], Args: given[1:], Env: env}))
}
