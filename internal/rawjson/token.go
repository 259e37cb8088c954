package rawjson

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// scanLiteral returns where the literal that must begin at i ends.
func scanLiteral(b []byte, i int, literal string) (end int, err error) {
	for n := range len(literal) {
		if !at(b, i+n, literal[n]) {
			return i, unexpected(b, i+n, fmt.Sprintf("%q in %s", literal[n], literal))
		}
	}
	return i + len(literal), nil
}

// scanNumber returns where the number that must begin at i ends (RFC 8259, section 6).
func scanNumber(b []byte, i int) (end int, err error) {
	instead := "a value"
	if at(b, i, '-') {
		i++
		instead = "a digit"
	}
	if end = skipDigits(b, i); end == i {
		return i, unexpected(b, i, instead)
	}
	if b[i] == '0' {
		end = i + 1 // no digit may follow
	}
	if uint(end) < uint(len(b)) && b[end] <= '9' && b[end] != '.' { // mostly ',' or white space
		return end, nil
	}
	if at(b, end, '.') {
		i = end + 1
		if end = skipDigits(b, i); end == i {
			return i, unexpected(b, i, "a digit")
		}
	}
	if at(b, end, 'e') || at(b, end, 'E') {
		i = end + 1
		if at(b, i, '+') || at(b, i, '-') {
			i++
		}
		if end = skipDigits(b, i); end == i {
			return i, unexpected(b, i, "a digit")
		}
	}
	return end, nil
}

// skipDigits returns where digits that begin at i end.
func skipDigits(b []byte, i int) int {
	for uint(i) < uint(len(b)) && b[i]-'0' <= 9 {
		i++
	}
	return i
}

// Each of the eight bytes of ones is 1; of the highest bits, 0x80.
const ones, highest = 0x0101_0101_0101_0101, 0x8080_8080_8080_8080

// scanString returns where the string that begins at i ends, and whether it has escapes.
func scanString(b []byte, i int) (end int, escaped bool, err error) {
	for i++; ; {
		for i+8 <= len(b) {
			// A subtraction makes the highest bit of a byte 1 when the byte is less. It borrows
			// from the next byte then, so that only the first such bit is right, which is enough.
			// In a byte from 0x80 the bit is 1 anyway.
			w := binary.LittleEndian.Uint64(b[i:])
			special := (w | (w - ' '*ones) | (w ^ '"'*ones - ones) | (w ^ '\\'*ones - ones)) & highest
			if special != 0 {
				i += bits.TrailingZeros64(special) / 8
				break
			}
			i += 8
		}
		if uint(i) >= uint(len(b)) {
			return i, escaped, early(b)
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1, escaped, nil
		case c == '\\':
			escaped = true
			if next := i + 1; next < len(b) && short[b[next]] {
				i += 2
			} else if i, err = scanLongEscape(b, i); err != nil {
				return i, escaped, err
			}
		case c < ' ':
			return i, escaped, &syntaxError{what: fmt.Sprintf("there is the control character 0x%02x in a string", c), offset: i}
		case c < utf8.RuneSelf: // near the end of b
			i++
		default:
			if i = skipRunes(b, i); i < len(b) && b[i] >= utf8.RuneSelf {
				return i, escaped, notUTF8(b, i)
			}
		}
	}
}

// notUTF8 returns the error of what is not UTF-8 at i.
func notUTF8(b []byte, i int) error {
	if !utf8.FullRune(b[i:]) {
		return early(b)
	}
	return &syntaxError{what: fmt.Sprintf("%s is not UTF-8", character(b[i:])), offset: i}
}

// skipRunes returns where characters beyond ASCII that begin at i end, or are not UTF-8. It goes on
// over a single one of ASCII between them that stands for itself, such as a space.
func skipRunes(b []byte, i int) int {
	// Four bytes at a time, the first of them the lowest, show whether the shape of a character is
	// right, and by its first two bytes whether it is one (RFC 3629, section 4).
	for i+4 <= len(b) {
		switch w := binary.LittleEndian.Uint32(b[i:]); {
		case w&0x00_c0_c0_f0 == 0x00_80_80_e0: // of three bytes
			if w&0x20ff == 0x00e0 || w&0x20ff == 0x20ed { // two are enough; a surrogate
				return i
			}
			i += 3
		case w&0xc0_e0 == 0x80_c0: // of two bytes
			if w&0x1e == 0 { // one is enough
				return i
			}
			i += 2
		case w&0xc0_c0_c0_f8 == 0x80_80_80_f0: // of four bytes
			if plane := w&0x07<<2 | w>>12&0x03; plane < 1 || plane > 16 { // three are enough; there is no such character
				return i
			}
			i += 4
		case w&0x80_80 == 0x80_00 && byte(w) >= ' ' && byte(w) != '"' && byte(w) != '\\':
			i++
		default:
			return i
		}
	}
	for i < len(b) && b[i] >= utf8.RuneSelf {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		i += size
	}
	return i
}

// short has the characters that follow the backslash in an escape of two.
var short = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// scanLongEscape returns where the escape that begins at i, and is not a short one, ends. A pair of
// surrogates is one escape.
func scanLongEscape(b []byte, i int) (end int, err error) {
	if !at(b, i+1, 'u') {
		return i, unexpected(b, i+1, `one of "\/bfnrtu after a backslash`)
	}
	first, err := scanHex(b, i+2)
	if err != nil || !utf16.IsSurrogate(first) {
		return i + 6, err
	}
	// A low one may follow a high one, and nothing else may.
	switch next := i + 6; {
	case first >= 0xdc00:
	case next >= len(b), next+1 == len(b) && b[next] == '\\':
		return i, early(b)
	case b[next] == '\\' && b[next+1] == 'u':
		second, err := scanHex(b, next+2)
		if err != nil {
			return i, err
		}
		if 0xdc00 <= second && second < 0xe000 {
			return next + 6, nil
		}
	}
	return i, &syntaxError{what: fmt.Sprintf("%s is half a character", b[i:i+6]), offset: i}
}

// scanHex returns the number that four hexadecimal digits at i spell.
func scanHex(b []byte, i int) (n rune, err error) {
	for end := i + 4; i < end; i++ {
		if i >= len(b) {
			return 0, early(b)
		}
		n <<= 4
		switch c := b[i]; {
		case '0' <= c && c <= '9':
			n |= rune(c - '0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			n |= rune(c | 0x20 - 'a' + 10)
		default:
			return 0, unexpected(b, i, `a hexadecimal digit after \u`)
		}
	}
	return n, nil
}
