package rawjson

import (
	"fmt"
	"sync"
)

// maxNesting is how deep [Scan] follows a value.
const maxNesting = 10_000

// Check returns an error unless b is one JSON value that follows I-JSON (RFC 7493): valid
// UTF-8 without lone surrogates, no name twice in an object. It may be nested at most
// 10,000 deep.
func Check(b []byte) error {
	_, err := Scan(b, nil)
	return err
}

// Measure is Check, and returns how deep b is nested: 1 is an object or array with
// none inside. With an error, depth is how deep b goes up to the error.
func Measure(b []byte) (depth int, err error) { return Scan(b, nil) }

// Depth returns how deep b is nested, like Measure.
func Depth(b []byte) int {
	depth, _ := Scan(b, nil) // it is valid
	return depth
}

// Scan is Measure, and hands each member of the object b to member when its value is over, in
// order; none when b is not an object. With an error, the members before it have been handed over.
// An error that wraps [io.ErrUnexpectedEOF] says that b ends early.
//
// The name is without quotes and escapes, and may be used until member returns. The value aliases b
// and has no white space around it. member may be nil.
func Scan(b []byte, member func(name, value []byte)) (depth int, err error) {
	s := scanners.Get().(*scanner)
	depth, err = s.scan(b, member)
	s.reset()
	scanners.Put(s)
	return depth, err
}

// A scanner has what one scan must remember. Scanners are reused, because everything that passes
// through is scanned.
type scanner struct {
	open  []int // of each object around: how many names come before its own; of each array: array
	names names // of the objects around
	start int   // of the value of the last member of the outermost object
}

// array stands for an array in open.
const array = -1

var scanners = sync.Pool{New: func() any { return &scanner{names: newNames()} }}

// maxKeptLevels is for how many levels a scanner that is not in use has room: 16 KiB.
const maxKeptLevels = 2048

// reset makes s ready for the next scan. It refers to nothing of what was scanned, and keeps little
// memory.
func (s *scanner) reset() {
	s.open = s.open[:0]
	if cap(s.open) > maxKeptLevels {
		s.open = nil
	}
	s.names.reset()
}

// scan is Scan. It goes from value to value; s.open has those around it.
func (s *scanner) scan(b []byte, member func(name, value []byte)) (depth int, err error) {
	for i := skipSpace(b, 0); ; {
		// A value must begin at i.
		if i >= len(b) {
			return depth, early(b)
		}
		switch c := b[i]; c {
		case '"':
			i, _, err = scanString(b, i)
		case '{', '[':
			if len(s.open) == maxNesting {
				return depth, &syntaxError{what: fmt.Sprintf("the value is nested over %d deep", maxNesting), offset: i}
			}
			s.enter(c)
			depth = max(depth, len(s.open))
			if i = skipSpace(b, i+1); !at(b, i, closing(c)) {
				if c == '{' {
					i, err = s.member(b, i)
				}
				if err != nil {
					return depth, err
				}
				continue
			}
			i++
			s.leave()
		case 't':
			i, err = scanLiteral(b, i, "true")
		case 'f':
			i, err = scanLiteral(b, i, "false")
		case 'n':
			i, err = scanLiteral(b, i, "null")
		default:
			i, err = scanNumber(b, i)
		}
		if err != nil {
			return depth, err
		}
		// A value ends at i, and with it perhaps those around it.
		for more := false; !more; {
			if len(s.open) == 0 {
				if i = skipSpace(b, i); i < len(b) {
					return depth, &syntaxError{what: "there is more after the JSON value", offset: i}
				}
				return depth, nil
			}
			object := s.open[len(s.open)-1] != array
			if object && len(s.open) == 1 && member != nil {
				member(s.names.last(b), b[s.start:i])
			}
			i = skipSpace(b, i)
			switch {
			case at(b, i, ','):
				i = skipSpace(b, i+1)
				if object {
					if i, err = s.member(b, i); err != nil {
						return depth, err
					}
				}
				more = true
			case object && at(b, i, '}'), !object && at(b, i, ']'):
				i++
				s.leave()
			case object:
				return depth, unexpected(b, i, "',' or '}'")
			default:
				return depth, unexpected(b, i, "',' or ']'")
			}
		}
	}
}

// closing returns the bracket that closes what c opens.
func closing(c byte) byte { return c + 2 } // both '[' and '{', in ASCII

// enter notes that an object or array begins with the bracket c.
func (s *scanner) enter(c byte) {
	if c == '[' {
		s.open = append(s.open, array)
	} else {
		s.open = append(s.open, s.names.len())
	}
}

// leave notes that the innermost object or array ends.
func (s *scanner) leave() {
	innermost := len(s.open) - 1
	if first := s.open[innermost]; first != array {
		s.names.drop(first)
	}
	s.open = s.open[:innermost]
}

// member reads the name of a member, which must begin at i, and returns where its value must.
func (s *scanner) member(b []byte, i int) (value int, err error) {
	if !at(b, i, '"') {
		return i, unexpected(b, i, "the name of a member")
	}
	end, escaped, err := scanString(b, i)
	if err != nil {
		return i, err
	}
	if !s.names.add(b, i, end, escaped, s.open[len(s.open)-1]) {
		return i, &syntaxError{what: fmt.Sprintf("the name %.80s is there twice", b[i:end]), offset: i}
	}
	if i = skipSpace(b, end); !at(b, i, ':') {
		return i, unexpected(b, i, "':'")
	}
	i = skipSpace(b, i+1)
	if len(s.open) == 1 {
		s.start = i
	}
	return i, nil
}
