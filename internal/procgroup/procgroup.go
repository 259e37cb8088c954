// Package procgroup starts child processes that never outlive their owner.
//
// There is a supervisor between the owner and each child. It is this very program, run
// again. It starts the child, keeps none of the child's files, and ends the child with
// everything the child has started: when the owner says so, when the child
// ends, and when the owner dies (see [Supervise]).
//
// How it finds "everything" depends on the system:
//
//   - On Linux the supervisor is a subreaper. Whatever the child starts stays below the
//     supervisor, no matter what happens to parents, sessions and environments. The
//     supervisor ends when nothing is left below it.
//   - On macOS the supervisor searches the process table: below the child, in its session, and
//     by a marker that children inherit in their environment. It misses a process that lost
//     its parent, left the session and removed the marker.
//
// A supervisor can be killed or stopped, even by its own child. The owner then ends the
// rest; on Linux it becomes their parent. When owner and supervisor are both killed, the
// owner's next life ends the rest ([Owner.Reap]): it finds them by the marker.
//
// Invariants:
//
//   - When [Process.Done] is closed, the child has ended, and so has everything found of it.
//   - A process gets a signal only if it is below the child, in the child's session or
//     marked, and only while it is still the same process. The caller, and the
//     groups of its session, never get one.
//   - Nothing here waits without bound once the child has ended.
//
// Linux and macOS are supported. Elsewhere [Owner.Start] returns an error.
package procgroup

import (
	"os"
	"slices"
	"strings"
)

// markerName is the environment variable that carries "<owner>/<random>".
const markerName = "MCP_EDITORD_CHILD"

// Unmarked returns env without the marker that this process was started with: a program
// started with the result belongs to no owner.
func Unmarked(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool { return strings.HasPrefix(entry, markerName+"=") })
}

// An Owner is the name of who starts children. It is short, has no slash, and is the same in every
// life of the owner.
type Owner string

// Started reports whether the program with this environment was started by o, or below what o started:
// whether the environment has the marker of o. A program that clears its environment is not recognized.
func (o Owner) Started(env []string) bool { return carries(env, o.marker()) }

// carries reports whether an entry of env begins with marker.
func carries(env []string, marker string) bool {
	return slices.ContainsFunc(env, func(e string) bool { return strings.HasPrefix(e, marker) })
}

// marker returns how the entry of o in the environment of its children begins.
func (o Owner) marker() string { return markerName + "=" + string(o) + "/" }

// A Command is a program to start.
type Command struct {
	Path  string   // absolute
	Args  []string // with the program's name
	Env   []string // nil means this process's
	Dir   string   // working directory; "" means this process's
	Umask *int     // nil means this process's

	Stdin, Stdout, Stderr *os.File // nil means the null device
}
