package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/ipc"
	"github.com/mcp-editord/mcp-editord/internal/nearname"
)

// The exit codes: the package comment says what they mean.
const (
	exitFailure     = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitPerson      = 4
	exitInterrupted = 130
)

// A codedError is an error that says its exit code.
type codedError struct {
	error
	code int
}

func (e *codedError) Unwrap() error { return e.error }

// notFound returns an error that says that there is no such thing.
func notFound(format string, args ...any) error {
	return &codedError{fmt.Errorf(format, args...), exitNotFound}
}

// needsPerson returns an error that says what only a person can do, or did not want.
func needsPerson(format string, args ...any) error {
	return &codedError{fmt.Errorf(format, args...), exitPerson}
}

// exitCode is the one place that says with which code the program ends.
func exitCode(err error) int {
	coded, isCoded := errors.AsType[*codedError](err)
	own, isOwn := errors.AsType[*editorapi.Error](err)
	_, isUsage := errors.AsType[*usageError](err)
	switch {
	case isCoded:
		return coded.code
	case isUsage && !errors.Is(err, fs.ErrNotExist), errors.Is(err, errProblems):
		return exitUsage
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case isOwn && (own.Kind == editorapi.KindSignInNeeded || own.Detail == string(editorapi.ServerNeedsApproval)):
		return exitPerson
	case isOwn && own.Kind == editorapi.KindServerNotFound, errors.Is(err, ipc.ErrNotRunning), errors.Is(err, fs.ErrNotExist):
		return exitNotFound
	}
	return exitFailure
}

// didYouMean returns the end of a message about a name that is not there: the one that was probably meant, or else what to do.
func didYouMean(name string, names []string, otherwise string) string {
	if meant := nearname.Of(name, names); meant != "" && meant != name {
		return fmt.Sprintf("; did you mean %q?", meant)
	}
	return "; " + otherwise
}
