package editorapi

import (
	"bytes"
	"strconv"
)

const (
	resultHead = `{"jsonrpc":"2.0","id":`
	resultMid  = `,"result":`
	resultTail = `}`
)

// pushResult sends the answer to the request with this id. Both are raw JSON and only used until
// pushResult returns. A result that the peer takes at once is not copied when it is large.
func (w *writer) pushResult(id, result []byte) error {
	size := len(resultHead) + len(id) + len(resultMid) + len(result) + len(resultTail)
	if w.takeToken() {
		if w.memory.Acquire(size) {
			w.writeResult(id, result, size)
			return nil
		}
		defer w.write() // of what has queued up, and of the refusal
	}
	frame := make([]byte, frameRoom, frameRoom+size)
	frame = append(frame, resultHead...)
	frame = append(frame, id...)
	frame = append(frame, resultMid...)
	frame = append(frame, result...)
	frame, claimed := w.claim(append(frame, resultTail...))
	return w.pushSealed(seal(frame), answer, claimed)
}

// takeToken makes the caller the one who writes, if there is nothing to write before what he has. He
// must call write in the end.
func (w *writer) takeToken() bool {
	if _, ok := w.to.(tryWriter); !ok {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.writing || w.held || w.closed || len(w.queue) > 0 {
		return false
	}
	w.writing = true
	return true
}

// writeResult writes an answer, for which size bytes of memory are claimed.
func (w *writer) writeResult(id, result []byte, size int) {
	head := append(w.joined[:0], headerName...)
	head = strconv.AppendInt(head, int64(size), 10)
	head = append(head, "\r\n\r\n"...)
	head = append(head, resultHead...)
	head = append(head, id...)
	head = append(head, resultMid...)
	parts := [][]byte{head, result, []byte(resultTail)}
	if len(result) <= maxJoin {
		head = append(head, result...)
		parts = [][]byte{append(head, resultTail...)}
	}
	w.joined = parts[0]
	for i, part := range parts {
		n, err := w.to.(tryWriter).TryWrite(part)
		if err != nil || n < len(part) {
			parts[i] = part[n:]
			go w.writePatiently(queued{frame: bytes.Join(parts[i:], nil), class: answer, claimed: size}, 0)
			return
		}
	}
	w.memory.Release(size)
	w.write()
}
