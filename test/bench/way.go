package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A way is one way to call the tools of one server.
type way interface {
	// turn makes calls, so many at a time.
	turn(c call, inFlight int, length turnLength) (turn, error)
	close() error
}

// The names of ways. Those of another daemon have its suffix.
const (
	rawWay    = "raw client"
	directWay = "go-sdk direct"
	socketWay = "socket"
	attachWay = "attach"
	agentWay  = "mcp"
	hubWay    = "mcp-hub"
	otherSays = " (other)"
)

// rawClient is a client without an SDK, with the server as its child.
func rawClient(cmd *exec.Cmd) (way, error) {
	rw, end, err := start(cmd)
	if err != nil {
		return nil, err
	}
	r := &rawStdio{pipeline{stream: newStream(lines, rw, end), request: lineRequest}}
	if err := r.initialize(); err != nil {
		return nil, errors.Join(err, end())
	}
	return r, nil
}

// rawStdio is the way of rawClient.
type rawStdio struct{ pipeline }

func (r *rawStdio) initialize() error {
	r.last++
	if err := r.stream.send(`{"jsonrpc":"2.0","id":`, strconv.Itoa(r.last), `,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`); err != nil {
		return err
	}
	stopped := time.AfterFunc(startTimeout, func() { _ = r.stream.shut() })
	defer stopped.Stop()
	for {
		a, err := r.stream.next()
		if err != nil {
			return fmt.Errorf("shaking hands with the server: %w", err)
		}
		if a.id == r.last {
			break
		}
	}
	return r.stream.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (r *rawStdio) close() error { return r.stream.shut() }

// lineRequest is a call of a tool as a server gets it.
func lineRequest(id int, c call) []string {
	return []string{`{"jsonrpc":"2.0","id":`, strconv.Itoa(id), `,"method":"tools/call","params":{"name":"`, c.tool, `","arguments":`, c.arguments, `}}`}
}

// direct is the SDK's client, with the server as its child.
type direct struct {
	session *mcp.ClientSession
	end     func() error
}

// newDirect lifts the SDK's limit on the size of a message, which the largest result exceeds.
func newDirect(ctx context.Context, cmd *exec.Cmd) (way, error) {
	rw, end, err := start(cmd)
	if err != nil {
		return nil, err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.IOTransport{Reader: io.NopCloser(rw), Writer: rw, MaxLineLength: -1}, nil)
	if err != nil {
		return nil, errors.Join(err, end())
	}
	return &direct{session, end}, nil
}

func (d *direct) turn(c call, inFlight int, length turnLength) (turn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), turnLimit)
	defer cancel()
	return callers(inFlight, length, func(int) error {
		result, err := d.session.CallTool(ctx, &mcp.CallToolParams{Name: c.tool, Arguments: json.RawMessage(c.arguments)})
		if err == nil && result.IsError {
			err = errors.New("the tool reports an error")
		}
		return err
	})
}

func (d *direct) close() error { return errors.Join(d.session.Close(), d.end()) }
