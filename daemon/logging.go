package daemon

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"gopkg.in/natefinch/lumberjack.v2"

	"github.com/mcp-editord/mcp-editord/internal/ipc"
	"github.com/mcp-editord/mcp-editord/internal/ring"
)

const (
	maxLogFile  = 10 // megabytes, before a new file begins
	maxOldLogs  = 3
	maxKeptLog  = 256 << 10 // bytes of lines that wait for the disk
	maxKeptLogs = 1000      // lines that wait for the disk
)

// newLogger returns the daemon's log: JSON lines in p's log file, and readable lines on standard
// error when that is a terminal. level is debug, info, warn or error; "" means info. A log that
// cannot be written stops nobody: see [patientWriter]. closeLog closes the file.
func newLogger(p ipc.Paths, level string) (log *zap.Logger, closeLog func(), err error) {
	at := zapcore.InfoLevel
	switch level {
	case "", "info":
	case "debug":
		at = zapcore.DebugLevel
	case "warn":
		at = zapcore.WarnLevel
	case "error":
		at = zapcore.ErrorLevel
	default:
		return nil, nil, fmt.Errorf("there is no log level %q; use debug, info, warn or error", level)
	}
	encoding := zap.NewProductionEncoderConfig()
	encoding.TimeKey = "time"
	encoding.EncodeTime = zapcore.RFC3339NanoTimeEncoder

	file, closeLog := newLogFile(p.LogFile())
	core := zapcore.NewCore(zapcore.NewJSONEncoder(encoding), file, at)
	if isTerminal(os.Stderr) {
		encoding.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05.000")
		encoding.EncodeLevel = zapcore.CapitalLevelEncoder
		core = zapcore.NewTee(core, zapcore.NewCore(zapcore.NewConsoleEncoder(encoding), zapcore.Lock(os.Stderr), at))
	}
	return zap.New(core), closeLog, nil
}

// newLogFile returns a writer of lines to a file of the state directory, and a function that closes
// it. It makes the file with mode 0600, in a directory that nobody else can enter, and puts the
// file aside when it has grown to maxLogFile.
func newLogFile(path string) (*patientWriter, func()) {
	file := &lumberjack.Logger{Filename: path, MaxSize: maxLogFile, MaxBackups: maxOldLogs}
	return newPatientWriter(file), func() { _ = file.Close() } // nobody is left to hear of an error
}

// isTerminal reports whether somebody may be reading along. It takes other character devices, like
// /dev/null, for terminals; that does no harm.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeCharDevice != 0
}

// patientWriter writes lines to a file that may fail for a while (a full disk, a directory that is
// gone). Its Write never fails. It keeps the last lines that it cannot write, and writes them when
// the file works again, with the number of lines that were lost.
type patientWriter struct {
	mu      sync.Mutex // guards the fields that follow
	file    io.Writer
	kept    *ring.Lines // nil unless the last write failed
	waiting int         // lines not written yet; kept holds the last of them
}

var _ zapcore.WriteSyncer = (*patientWriter)(nil)

func newPatientWriter(file io.Writer) *patientWriter { return &patientWriter{file: file} }

// Write takes one or more lines, each with its line feed.
func (w *patientWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := b
	if w.kept != nil {
		lines := w.kept.Last(maxKeptLogs)
		// The line feed ends a line that a failed write may have left unfinished.
		var text strings.Builder
		text.WriteByte('\n')
		if lost := w.waiting - len(lines); lost > 0 {
			fmt.Fprintf(&text, `{"level":"warn","msg":"lines of this log could not be written","lost":%d}`+"\n", lost)
		}
		for _, line := range lines {
			text.WriteString(strings.TrimSuffix(line, "\n")) // a long one was cut and has none
			text.WriteByte('\n')
		}
		text.Write(b)
		out = []byte(text.String())
	}
	if _, err := w.file.Write(out); err != nil {
		if w.kept == nil {
			w.kept = ring.New(maxKeptLogs, maxKeptLog)
		}
		for line := range bytes.Lines(b) {
			w.kept.Add(string(line))
			w.waiting++
		}
		return len(b), nil
	}
	w.kept, w.waiting = nil, 0
	return len(b), nil
}

// Sync does nothing: the file is written without a buffer.
func (w *patientWriter) Sync() error { return nil }
