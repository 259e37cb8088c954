package candidate

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/redact"
)

// What values say; of names, [redact.SecretName] does.
var (
	plainValue = pattern(`^(true|false|none)$|^([A-Za-z]:\\|~?\.{0,2}/).*\.(json|pem|key|crt|txt|env)$`)

	// tokens are those that are known by how they begin.
	tokens = `(?:gh[opsur]_|github_pat_|glpat-|sk[-_]|rk_live_|xox[abeprs]-|xapp-|AKIA|ASIA|AIza|eyJ|ntn_|secret_|` +
		`lin_api_|lin_oauth_|hf_|gsk_|tvly-|figd_|shpat_|dop_v1_|glsa_|sbp_|pplx-|ATATT|SG\.)`
	token = pattern(`^` + tokens + `(?:[\w.+/=-]*[0-9][\w.+/=-]*|[\w.+/=-]{20,})$`)

	bareOption  = pattern(`^-[^=]*$`)
	option      = pattern(`^-{0,2}[A-Za-z][\w.-]*=`)
	headerText  = pattern(`^([A-Za-z][\w-]*)(:\s*)(.+)$`)
	scheme      = pattern(`(?i)^((bearer|basic|token|bot|api-?key)\s+)(\S.*)$`)
	placeholder = pattern(`(?i)^<[^<>]+>$|(^|[-_ ])your[-_ ]|[-_ ]here$|^x{3,}$|x{6,}|^\.{3}$|^…$|^\*{3}|` +
		`\*{4}|^change[-_ ]?me$|^/(absolute/)?path/to/|^[a-z]:\\path\\to\\|^\{file:[^{}]*\}$`)
)

// within are the places of values in a text: what is before one, its name, what is between the two, and the value.
// named is the name where the text has none, and what is there is a secret.
var within = []struct {
	find  func() *regexp.Regexp
	named string
}{
	{pattern(`(://[^/?#@\s:]*)()(:)([^/?#\s]+)(@)`), "password"},
	{pattern(`(^|[?&;\s])(-{0,2}[A-Za-z][\w.-]*)(=)([^&#;\s"']*)()`), ""}, // a query, or a DSN
	{pattern(`(")([^"\\]{1,100})("\s*:\s*")([^"]*)()`), ""},               // JSON
	{pattern(`(^|[\s"'=:/?&@])()()(` + tokens + `[\w.+/=-]{3,})()`), "token"},
	{pattern(`()()()(<[A-Za-z][^<>]{0,60}>)()`), ""},
}

// idOf makes the id of an input of a name.
func idOf(name string) string {
	id := strings.ReplaceAll(redact.Words(name), "_", "-")
	return cmp.Or(strings.Trim(id[:min(len(id), 60)], "-"), "value")
}

// isPlaceholder reports whether a value stands for one that the reader has to put in.
func isPlaceholder(value string) bool {
	return !strings.ContainsAny(value, `"=`) && !strings.Contains(value, "://") && placeholder().MatchString(value)
}

// conceal returns a text with inputs in the place of secrets and placeholders, whether they are all of it
// or stand in a URL, in JSON or elsewhere in it. name says what the text is the value of; it may be "".
func (d *draft) conceal(name, text string) string {
	if shown, ok := d.whole(name, text, false); ok {
		return shown
	}
	for _, place := range within {
		text = place.find().ReplaceAllStringFunc(text, func(found string) string {
			m := place.find().FindStringSubmatch(found)
			if place.named == "token" && !token().MatchString(m[4]) {
				return found
			}
			called := cmp.Or(m[2], strings.TrimSpace(name+" "+place.named))
			if shown, ok := d.whole(called, m[4], place.named != ""); ok {
				return m[1] + m[2] + m[3] + shown + m[5]
			}
			return found
		})
	}
	return text
}

// whole is conceal for a value that is a secret or a placeholder as a whole, behind "Bearer" and the like. It
// returns false for any other. A value with a variable was made by somebody who knows of them.
func (d *draft) whole(name, value string, hide bool) (string, bool) {
	for _, m := range variables().FindAllStringSubmatch(value, -1) {
		if known().MatchString(m[1]) {
			return "", false
		}
	}
	prefix := ""
	m := scheme().FindStringSubmatch(value)
	if m != nil && (redact.SecretName(name) || strings.EqualFold(m[2], "bearer")) {
		prefix, value, hide = m[1], m[3], true
	}
	switch {
	case isPlaceholder(value), value == "" && redact.SecretName(name):
		return prefix + d.input(cmp.Or(name, value), Input{Password: hide || redact.SecretName(name)}, ""), true
	case hide, token().MatchString(value), redact.SecretName(name) && !plainValue().MatchString(value):
		return prefix + d.input(cmp.Or(name, "token"), Input{Password: true}, value), true
	}
	return "", false
}

// concealArgs is conceal for arguments, whose names stand in them or before them.
func (d *draft) concealArgs(args []string) {
	before := ""
	for i, arg := range args {
		name := ""
		if bareOption().MatchString(before) && !strings.HasPrefix(arg, "-") {
			name = before
		}
		before = arg
		prefix, header := option().FindString(arg), headerText().FindStringSubmatch(arg)
		switch {
		case prefix != "":
			args[i] = prefix + d.conceal(strings.TrimSuffix(prefix, "="), arg[len(prefix):])
		case header != nil && (name == "-H" || redact.Words(name) == "header"):
			args[i] = header[1] + header[2] + d.conceal(header[1], header[3])
		case redact.SecretName(name) || isPlaceholder(arg):
			args[i] = d.conceal(name, arg)
		default:
			args[i] = d.conceal("", arg)
		}
	}
}
