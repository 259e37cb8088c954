package procgroup

import (
	"bufio"
	"errors"
	"fmt"
	"strings"
)

// specForm describes, for the supervisor, the child to start: its umask (-1 for the supervisor's own),
// directory, path, arguments and environment. It is a line, because strings are quoted; those of a
// list are joined by NUL, which none of them can have.
//
// It goes over a pipe, because only the child may get it. In the supervisor's arguments every user
// would see it; in the supervisor's environment it would take effect there.
const specForm = "%d %q %q %q %q\n"

// encode describes c, which has the program's name and the marker.
func (c Command) encode() ([]byte, error) {
	umask := -1
	if c.Umask != nil {
		umask = *c.Umask
	}
	args, env := strings.Join(c.Args, "\x00"), strings.Join(c.Env, "\x00")
	if strings.Contains(c.Path+c.Dir, "\x00") || strings.Count(args, "\x00") >= len(c.Args) {
		return nil, errors.New("a program's path, arguments and directory cannot contain a NUL byte")
	}
	return fmt.Appendf(nil, specForm, umask, c.Dir, c.Path, args, env), nil
}

// decodeCommand reads the output of encode.
func decodeCommand(r *bufio.Reader) (c Command, err error) {
	var umask int
	var args, env string
	_, err = fmt.Fscanf(r, specForm, &umask, &c.Dir, &c.Path, &args, &env)
	if umask >= 0 {
		c.Umask = &umask
	}
	c.Args, c.Env = strings.Split(args, "\x00"), strings.Split(env, "\x00")
	return c, err
}
