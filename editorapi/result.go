package editorapi

import (
	"slices"
	"strconv"

	"github.com/mcp-editord/mcp-editord/internal/buffers"
	"github.com/mcp-editord/mcp-editord/internal/cork"
)

const (
	resultHead = `{"jsonrpc":"2.0","id":`
	resultMid  = `,"result":`
	resultTail = `}`
)

// pushResult sends the answer to the request with this id. Both are raw JSON and only used until
// pushResult returns. A result that the peer takes at once is not copied when it is large. A small one is
// written now, or as c has it.
func (w *writer) pushResult(id, result []byte, c *cork.Cork) error {
	size := len(resultHead) + len(id) + len(resultMid) + len(result) + len(resultTail)
	if size > maxJoin {
		c.Flush() // it is not held back, and what is goes first
	}
	later := size <= maxJoin && c.Hold(w)
	if !later && w.takeToken() {
		if w.memory.Acquire(size) {
			w.writeResult(id, result, size)
			return nil
		}
		defer w.write() // of what has queued up, and of the refusal
	}
	var buffer []byte
	if size > maxJoin {
		buffer = buffers.Get(frameRoom + size)
	}
	frame := append(slices.Grow(buffer, frameRoom+size)[:frameRoom], resultHead...)
	frame = append(frame, id...)
	frame = append(frame, resultMid...)
	frame = append(frame, result...)
	frame, claimed := w.claim(append(frame, resultTail...))
	if claimed == 0 { // it is a refusal
		buffers.Put(buffer)
		buffer = nil
	}
	return w.enqueue(queued{frame: seal(frame), class: answer, claimed: claimed, buffer: buffer}, later)
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
	parts := [][]byte{nil}
	if len(result) <= maxJoin {
		head = append(head, result...)
		head = append(head, resultTail...)
	} else {
		parts = [][]byte{nil, result, []byte(resultTail)}
	}
	w.joined, parts[0] = head, head
	for i, part := range parts {
		n, err := w.to.(tryWriter).TryWrite(part)
		if err != nil || n < len(part) {
			parts[i] = part[n:]
			buffer := buffers.Get(size + frameRoom)
			rest := buffer
			for _, part := range parts[i:] {
				rest = append(rest, part...)
			}
			go w.writePatiently(queued{frame: rest, class: answer, claimed: size, buffer: buffer}, 0)
			return
		}
	}
	w.memory.Release(size)
	w.write()
}
