// Package deps keeps go.mod complete while the rooms are written. Removed with the first full build.
package deps

import (
	_ "github.com/bmatcuk/doublestar/v4"
	_ "github.com/fsnotify/fsnotify"
	_ "github.com/gofrs/flock"
	_ "github.com/modelcontextprotocol/go-sdk/mcp"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/spf13/cobra"
	_ "github.com/tailscale/hujson"
	_ "go.lsp.dev/jsonrpc2"
	_ "go.lsp.dev/protocol"
	_ "go.lsp.dev/uri"
	_ "go.uber.org/zap"
	_ "golang.org/x/sys/unix"
	_ "gopkg.in/natefinch/lumberjack.v2"
)
