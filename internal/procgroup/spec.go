package procgroup

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// maxSpec is more than any system takes as arguments and environment.
const maxSpec = 16 << 20

// spec describes, for the supervisor, the child to start. It goes over a
// pipe, because only the child may get it. In the supervisor's
// arguments every user would see it; in the supervisor's environment it would take effect there.
type spec struct {
	record string // file for the record; "" for none
	umask  int    // -1 for the supervisor's own
	dir    string
	path   string
	args   []string
	env    []string
}

// encode returns s as its length, in four bytes, and that many bytes of strings
// that each end in NUL.
func (s spec) encode() ([]byte, error) {
	fields := slices.Concat([]string{s.record, strconv.Itoa(s.umask), s.dir, s.path, strconv.Itoa(len(s.args))}, s.args, s.env)
	out := make([]byte, 4)
	for _, field := range fields {
		if strings.IndexByte(field, 0) >= 0 {
			return nil, errors.New("a program's path, arguments, environment and directory cannot contain a NUL byte")
		}
		out = append(append(out, field...), 0)
	}
	if len(out) > maxSpec {
		return nil, fmt.Errorf("arguments and environment have %d bytes, more than any system takes", len(out))
	}
	binary.BigEndian.PutUint32(out, uint32(len(out)-4))
	return out, nil
}

// decodeSpec reads the output of encode.
func decodeSpec(r io.Reader) (s spec, err error) {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return s, err
	}
	n := binary.BigEndian.Uint32(length[:])
	if n == 0 || n > maxSpec {
		return s, errMalformed
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return s, err
	}
	fields := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
	if len(fields) < 5 {
		return s, errMalformed
	}
	umask, err1 := strconv.Atoi(fields[1])
	args, err2 := strconv.Atoi(fields[4])
	if err1 != nil || err2 != nil || args < 0 || args > len(fields)-5 {
		return s, errMalformed
	}
	return spec{
		record: fields[0], umask: umask, dir: fields[2], path: fields[3],
		args: fields[5 : 5+args], env: fields[5+args:],
	}, nil
}

var errMalformed = errors.New("the description of the child is malformed")
