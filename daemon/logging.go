package daemon

import (
	"fmt"
	"io/fs"
	"os"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/mcp-editord/mcp-editord/internal/ipc"
)

// newLogger returns the daemon's log: JSON lines in p's log file, and readable lines on standard
// error when that is a terminal. level is debug, info, warn or error; "" means info. A log that
// cannot be written stops nobody: see [lineFile]. closeLog closes the file.
func newLogger(p ipc.Paths, level string) (log *zap.Logger, closeLog func(), err error) {
	at, ok := map[string]zapcore.Level{
		"debug": zapcore.DebugLevel, "": zapcore.InfoLevel, "info": zapcore.InfoLevel, "warn": zapcore.WarnLevel, "error": zapcore.ErrorLevel,
	}[level]
	if !ok {
		return nil, nil, fmt.Errorf("there is no log level %q; use debug, info, warn or error", level)
	}
	encoding := zap.NewProductionEncoderConfig()
	encoding.TimeKey = "time"
	encoding.EncodeTime = zapcore.RFC3339NanoTimeEncoder

	file := openLines(p.LogFile())
	core := zapcore.NewCore(zapcore.NewJSONEncoder(encoding), zapcore.AddSync(file), at)
	if isTerminal(os.Stderr) {
		encoding.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05.000")
		encoding.EncodeLevel = zapcore.CapitalLevelEncoder
		core = zapcore.NewTee(core, zapcore.NewCore(zapcore.NewConsoleEncoder(encoding), zapcore.Lock(os.Stderr), at))
	}
	return zap.New(core), file.close, nil
}

// isTerminal reports whether somebody may be reading along. It takes other character devices, like
// /dev/null, for terminals; that does no harm.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeCharDevice != 0
}
