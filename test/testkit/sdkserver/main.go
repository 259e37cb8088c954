// Command sdkserver is an MCP server with everything that MCP has. It is written with the
// official Go SDK, which shares no code with the daemon.
//
//	sdkserver -version V               on standard input and output
//	sdkserver -version V -http ADDR    over Streamable HTTP
//	sdkserver -version V -sse ADDR     over HTTP+SSE
//
// V is the version that it speaks. It may be 2024-10-07, which the SDK does not know: the server
// then speaks 2024-11-05 under that name.
//
// ADDR must be on the loopback interface. With -http and -sse the first line on standard
// output is the URL.
//
// It lists 25 tools, in pages of ten. They are in the files of what they show: content.go,
// effects.go (logging, progress, cancellation, changes) and ask.go (roots, sampling,
// elicitation). Prompts, resources, a template and completion are in features.go.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"

	"github.com/mcp-editord/mcp-editord/test/testkit/eras"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// oldest is a version from before the first published one; its messages are those of meant.
const (
	oldest = "2024-10-07"
	meant  = "2024-11-05"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "sdkserver:", err)
		os.Exit(1)
	}
}

func run() error {
	httpAddr := flag.String("http", "", "serve Streamable HTTP at this address, not standard input and output")
	sseAddr := flag.String("sse", "", "serve HTTP+SSE at this address, not standard input and output")
	version := flag.String("version", "", "the version of MCP to speak")
	flag.Parse()
	if known := append(mcp.SupportedProtocolVersions(), oldest); !slices.Contains(known, *version) {
		return fmt.Errorf("version %q is not one of %v", *version, known)
	}
	server := newServer(*version)
	switch {
	case *httpAddr != "":
		return serve(*httpAddr, eras.Streamable(server))
	case *sseAddr != "":
		return serve(*sseAddr, mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return server }, nil))
	default:
		return server.Run(context.Background(), &mcp.StdioTransport{})
	}
}

// serve listens, prints the URL and serves until something fails.
func serve(addr string, handler http.Handler) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("%s is not an address of the loopback interface: use 127.0.0.1:0", addr)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/mcp\n", l.Addr())
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	return http.Serve(l, mux)
}

// everything is the server and what its tools remember.
type everything struct {
	*mcp.Server
	state state
}

// newServer returns the server, which speaks one version.
func newServer(version string) *mcp.Server {
	options := &mcp.ServerOptions{
		Instructions:       "A server for tests. Call any tool.",
		PageSize:           10,
		CompletionHandler:  complete,
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	}
	options.SupportedProtocolVersions = []string{version}
	if version == oldest {
		options.SupportedProtocolVersions = []string{meant}
	}
	s := &everything{Server: mcp.NewServer(&mcp.Implementation{
		Name: "sdkserver", Title: "The server of the SDK", Version: "1.0.0",
		Icons: []mcp.Icon{{Source: pixelURI, MIMEType: "image/png", Sizes: []string{"1x1"}}},
	}, options)}
	if version == oldest {
		s.AddReceivingMiddleware(answerOldest)
	}
	s.addContent()
	s.addEffects()
	s.addAsking()
	s.addFeatures()
	return s.Server
}

// answerOldest puts the oldest version into the answer to initialize.
func answerOldest(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, r)
		if initialized, ok := result.(*mcp.InitializeResult); ok && err == nil {
			initialized.ProtocolVersion = oldest
		}
		return result, err
	}
}

// tool adds a tool that takes an object with these properties, written as JSON Schema.
func (s *everything) tool(name, properties string, do mcp.ToolHandler) {
	s.AddTool(&mcp.Tool{
		Name: name, Title: "The tool " + name, Description: "Shows " + name + ".",
		InputSchema: object(properties),
		Icons:       []mcp.Icon{{Source: pixelURI, MIMEType: "image/png"}},
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(false)},
	}, do)
}
