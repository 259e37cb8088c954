package procgroup

import (
	"bufio"
	"errors"
	"fmt"
	"strings"
)

// spec describes, for the supervisor, the child to start. It goes over a
// pipe, because only the child may get it. In the supervisor's
// arguments every user would see it; in the supervisor's environment it would take effect there.
type spec struct {
	umask int // -1 for the supervisor's own
	dir   string
	path  string
	args  []string // at least the program's name
	env   []string // at least the marker
}

// specForm is a line, because strings are quoted. Those of a list are joined by NUL, which none of
// them can have.
const specForm = "%d %q %q %q %q\n"

func (s spec) encode() ([]byte, error) {
	args, env := strings.Join(s.args, "\x00"), strings.Join(s.env, "\x00")
	if strings.Contains(s.path+s.dir, "\x00") || strings.Count(args, "\x00") >= len(s.args) {
		return nil, errors.New("a program's path, arguments and directory cannot contain a NUL byte")
	}
	return fmt.Appendf(nil, specForm, s.umask, s.dir, s.path, args, env), nil
}

// decodeSpec reads the output of encode.
func decodeSpec(r *bufio.Reader) (s spec, err error) {
	var args, env string
	_, err = fmt.Fscanf(r, specForm, &s.umask, &s.dir, &s.path, &args, &env)
	s.args, s.env = strings.Split(args, "\x00"), strings.Split(env, "\x00")
	return s, err
}
