package syntax

import (
	"math/big"
	"regexp"
	"strings"
)

// number matches the numbers of YAML's core schema that JSON has too, and with it JSON's numbers.
var number = regexp.MustCompile(`^(?:[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|0o[0-7]{1,20}|0x[0-9a-fA-F]{1,16})$`)

// kindOf returns what a YAML scalar without quotes is.
func kindOf(s string) Kind {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return Null
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return Bool
	}
	if number.MatchString(s) {
		return Number
	}
	return String
}

// JSON returns how JSON spells a Null, a Bool or a Number. It is "" for all other nodes.
func (n *Node) JSON() string {
	switch n.Kind {
	case Null:
		return "null"
	case Bool:
		return strings.ToLower(n.Text)
	case Number:
		return jsonNumber(n.Text)
	}
	return ""
}

// jsonNumber spells a number of YAML as JSON does.
func jsonNumber(s string) string {
	if strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0o") {
		n, _ := new(big.Int).SetString(s, 0) // it is valid
		return n.String()
	}
	s = strings.TrimPrefix(s, "+")
	s, negative := strings.CutPrefix(s, "-")
	end := strings.IndexAny(s, "eE")
	if end < 0 {
		end = len(s)
	}
	whole, fraction, _ := strings.Cut(s[:end], ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if negative {
		whole = "-" + whole
	}
	return whole + s[end:]
}
