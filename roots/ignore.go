package roots

import (
	"strings"
)

// A pattern is one line of a .gitignore file (gitignore(5)). It compares bytes, as git does.
type pattern struct {
	negated  bool
	onlyDirs bool   // it ends with a slash
	byName   bool   // it has no slash elsewhere: it matches at any depth
	parts    []part // by slash
}

// A part of a pattern matches one name, or any number of them if it is deep.
type part struct {
	deep   bool // **
	tokens []token
}

// A token matches one byte of a name, or any number of bytes if it is a star.
type token struct {
	kind  tokenKind
	char  byte
	class *class
}

type tokenKind uint8

const (
	tokenChar tokenKind = iota
	tokenAny            // ?
	tokenStar           // *
	tokenClass
)

// class is the set of bytes that brackets stand for.
type class [4]uint64

func (c *class) has(b byte) bool { return c[b>>6]&(1<<(b&63)) != 0 }
func (c *class) add(b byte)      { c[b>>6] |= 1 << (b & 63) }

// maxPattern is how many bytes a line may have. A name has no more than 255.
const maxPattern = 1024

// parsePatterns returns the patterns of a .gitignore file, in its order.
func parsePatterns(text string) []pattern {
	var all []pattern
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\ufeff"), "\n") {
		line = trimSpaces(strings.TrimSuffix(line, "\r"))
		if line == "" || line[0] == '#' || len(line) > maxPattern {
			continue
		}
		if p, ok := parsePattern(line); ok {
			all = append(all, p)
		}
	}
	return all
}

// trimSpaces removes the spaces at the end of line that no backslash protects.
func trimSpaces(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(line))
	}
	return line[:end]
}

// parsePattern returns ok == false for a pattern that can match nothing.
func parsePattern(line string) (p pattern, ok bool) {
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.onlyDirs = strings.CutSuffix(line, "/")
	p.byName = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	for more := true; more; {
		var next part
		if next.tokens, line, more, ok = parsePart(line); !ok {
			return pattern{}, false
		}
		if !p.byName && len(next.tokens) > 1 && onlyStars(next.tokens) {
			next = part{deep: true}
			if n := len(p.parts); n > 0 && p.parts[n-1].deep && more {
				continue // twice is once; at the end it stands for one name at least
			}
		}
		p.parts = append(p.parts, next)
	}
	return p, true
}

// parsePart cuts line behind its first slash that is not in brackets.
func parsePart(line string) (tokens []token, rest string, more, ok bool) {
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case '/':
			return tokens, line[i+1:], true, len(tokens) > 0
		case '?':
			tokens = append(tokens, token{kind: tokenAny})
		case '*':
			tokens = append(tokens, token{kind: tokenStar})
		case '[':
			set, end := parseClass(line[i:])
			if end == 0 {
				return nil, "", false, false
			}
			tokens = append(tokens, token{kind: tokenClass, class: set})
			i += end - 1
		case '\\':
			if i++; i == len(line) {
				return nil, "", false, false
			}
			if line[i] == '/' {
				return tokens, line[i+1:], true, len(tokens) > 0
			}
			tokens = append(tokens, token{char: line[i]})
		default:
			tokens = append(tokens, token{char: c})
		}
	}
	return tokens, "", false, len(tokens) > 0
}

func onlyStars(tokens []token) bool {
	for _, t := range tokens {
		if t.kind != tokenStar {
			return false
		}
	}
	return true
}

// parseClass returns the set that the brackets at the beginning of text stand for, and where they
// end; 0 when they do not.
func parseClass(text string) (set *class, end int) {
	set = &class{}
	i, negated := 1, false
	if i < len(text) && (text[i] == '!' || text[i] == '^') {
		negated = true
		i++
	}
	var before byte // a range may begin with it; 0: none may
	for first := true; ; first = false {
		if i >= len(text) {
			return nil, 0
		}
		c := text[i]
		switch {
		case c == ']' && !first:
			for i := range set {
				if negated {
					set[i] = ^set[i]
				}
			}
			return set, i + 1
		case c == '-' && before != 0 && i+1 < len(text) && text[i+1] != ']':
			if i++; text[i] == '\\' {
				if i++; i == len(text) {
					return nil, 0
				}
			}
			for b := int(before); b <= int(text[i]); b++ {
				set.add(byte(b))
			}
			before = 0
		case c == '[' && i+1 < len(text) && text[i+1] == ':':
			stop := strings.IndexByte(text[i+2:], ']')
			if stop < 0 {
				return nil, 0
			}
			name, named := strings.CutSuffix(text[i+2:i+2+stop], ":")
			if !named { // a bracket and a colon
				set.add(c)
				before = c
				break
			}
			in := namedClasses[name]
			if in == nil {
				return nil, 0
			}
			for b := range 256 {
				if in(byte(b)) {
					set.add(byte(b))
				}
			}
			i, before = i+2+stop, 0
		default:
			if c == '\\' {
				if i++; i == len(text) {
					return nil, 0
				}
				c = text[i]
			}
			set.add(c)
			before = c
		}
		i++
	}
}

var namedClasses = map[string]func(byte) bool{
	"alnum":  func(c byte) bool { return isDigit(c) || isUpper(c) || isLower(c) },
	"alpha":  func(c byte) bool { return isUpper(c) || isLower(c) },
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c byte) bool { return c < ' ' || c == 0x7f },
	"digit":  isDigit,
	"graph":  func(c byte) bool { return c > ' ' && c < 0x7f },
	"lower":  isLower,
	"print":  func(c byte) bool { return c >= ' ' && c < 0x7f },
	"punct":  func(c byte) bool { return c > ' ' && c < 0x7f && !isDigit(c) && !isUpper(c) && !isLower(c) },
	"space":  func(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' },
	"upper":  isUpper,
	"xdigit": func(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' },
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

// matches reports whether the pattern is about path, which is relative to the folder of the
// pattern. It adds the comparisons that it makes to work: they are at most the product of the
// lengths of both.
func (p *pattern) matches(path string, isDir bool, work *int) bool {
	*work++
	if p.onlyDirs && !isDir {
		return false
	}
	if p.byName {
		return p.parts[0].matches(path[strings.LastIndexByte(path, '/')+1:], work)
	}
	// Only the last ** need be tried again: what the ones before it have skipped is never too much.
	again, againAt := -1, ""
	for i := 0; ; {
		for i < len(p.parts) && p.parts[i].deep {
			if i++; i == len(p.parts) {
				return path != "" // a/** is what is below a
			}
			again, againAt = i, path
		}
		if path == "" {
			return i == len(p.parts) // to skip more would leave less
		}
		if i < len(p.parts) {
			name, rest, _ := strings.Cut(path, "/")
			if p.parts[i].matches(name, work) {
				i, path = i+1, rest
				continue
			}
		}
		if again < 0 {
			return false
		}
		_, againAt, _ = strings.Cut(againAt, "/")
		i, path = again, againAt
	}
}

func (p *part) matches(name string, work *int) bool {
	i, again, againAt := 0, -1, 0
	for at := 0; at < len(name) || i < len(p.tokens); *work++ {
		if i < len(p.tokens) {
			t := &p.tokens[i]
			if t.kind == tokenStar {
				again, againAt = i+1, at
				i++
				continue
			}
			if at < len(name) && (t.kind == tokenAny || t.kind == tokenChar && t.char == name[at] || t.kind == tokenClass && t.class.has(name[at])) {
				i, at = i+1, at+1
				continue
			}
		}
		if again < 0 || againAt == len(name) {
			return false
		}
		againAt++
		i, at = again, againAt
	}
	return true
}
