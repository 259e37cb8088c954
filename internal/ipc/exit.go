package ipc

import (
	"bytes"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

const maxExit = 512 // bytes of a frame that may be the exit notification

// tail is the end of what an editor has said: its last maxExit bytes.
type tail []byte

func (t *tail) add(b []byte) {
	kept := append(*t, b[max(0, len(b)-maxExit):]...)
	*t = kept[:copy(kept, kept[max(0, len(kept)-maxExit):])]
}

// saidExit reports whether the last frame was the exit notification.
func (t tail) saidExit() bool {
	end := bytes.LastIndex(t, []byte("\r\n\r\n"))
	return end >= 0 && editorapi.IsExit(t[end+4:])
}
