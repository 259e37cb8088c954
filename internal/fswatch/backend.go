package fswatch

import (
	"github.com/fsnotify/fsnotify"
)

// backend is the part of fsnotify.Watcher that this package uses. Close closes its channels.
type backend interface {
	Add(dir string) error
	Remove(dir string) error
	Close() error
	events() <-chan fsnotify.Event
	errors() <-chan error
}

type notify struct{ *fsnotify.Watcher }

func openNotify() (backend, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return notify{w}, nil
}

func (n notify) events() <-chan fsnotify.Event { return n.Events }
func (n notify) errors() <-chan error          { return n.Errors }
