package daemon

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"gopkg.in/natefinch/lumberjack.v2"

	"github.com/mcp-editord/mcp-editord/internal/rerun"
	"github.com/mcp-editord/mcp-editord/internal/ring"
)

const (
	maxLogFile   = 10                     // megabytes, before a new file begins
	maxOldLogs   = 3                      // files
	maxKeptLog   = 256 << 10              // bytes of the lines that wait for the disk
	linePatience = 100 * time.Millisecond // how long anybody waits for a disk
)

// A lineFile writes lines to a file on a disk that may be full, or may not answer. It never fails.
// Who writes a line waits until the file has it, so a daemon that is killed leaves none out; but
// nobody waits for a disk that fails, and for one that does not answer in time only once. The last
// lines are kept until the disk works again, with the number of those that were lost. A lineFile is
// safe for concurrent use.
type lineFile struct {
	file    io.WriteCloser
	lines   *ring.Ring[string] // the last ones, each with its line feed
	writing *rerun.Runner      // runs write
	late    atomic.Bool        // what is being written takes too long

	// Used only by write.
	written int64 // how many lines the file has, or has lost
	torn    bool  // the last write failed, perhaps in the middle of a line
}

// openLines returns a lineFile for a file of the state directory. It makes the file with mode 0600,
// in a directory that nobody else can enter, and puts the file aside when it has grown to
// maxLogFile.
func openLines(path string) *lineFile {
	return newLineFile(&lumberjack.Logger{Filename: path, MaxSize: maxLogFile, MaxBackups: maxOldLogs})
}

func newLineFile(file io.WriteCloser) *lineFile {
	size := func(line string) int { return len(line) }
	f := &lineFile{file: file, lines: ring.Of(maxKeptLog, maxKeptLog, size)}
	f.writing = rerun.New(f.write)
	return f
}

// Write implements [io.Writer]. It takes one or more lines, each with its line feed.
func (f *lineFile) Write(lines []byte) (int, error) {
	for line := range bytes.Lines(lines) {
		f.lines.Add(string(line))
	}
	f.Flush()
	return len(lines), nil
}

// Flush implements [cork.Flusher]. It has the lines so far written, and waits for that.
func (f *lineFile) Flush() {
	written := f.writing.Again()
	if f.late.Load() {
		return
	}
	select {
	case <-written:
	case <-time.After(linePatience):
		f.late.Store(true)
	}
}

// write writes the lines that wait. It runs on f.writing.
func (f *lineFile) write() {
	lines, added := f.lines.Since(f.written, maxKeptLog, maxKeptLog)
	if added == f.written {
		return
	}
	var text bytes.Buffer
	if f.torn {
		text.WriteByte('\n')
	}
	if lost := added - f.written - int64(len(lines)); lost > 0 {
		const line = `{"level":"warn","msg":"lines of this log could not be written","lost":%d}`
		fmt.Fprintf(&text, line+"\n", lost)
	}
	for _, line := range lines {
		text.WriteString(line)
	}
	_, err := f.file.Write(text.Bytes())
	if f.torn = err != nil; !f.torn {
		f.written = added
	}
	f.late.Store(false)
}

// close writes what is left, but waits no longer than patience, and closes the file.
func (f *lineFile) close() {
	endsIn(patience, func() { <-f.writing.Again() })
	_ = f.file.Close() // nobody is left to hear of an error
}
