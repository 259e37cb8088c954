package editorapi

import "testing"

// What is wrong comes first, since messages are cut, and what to do last. A file is named by its path.
func TestNotReady(t *testing.T) {
	failed := func(state ServerState, kind ServerErrorKind, message string) Server {
		return Server{Name: "a b", State: state, Source: "file:///home/u/mcp.json", Error: &ServerError{Kind: kind, Message: message}}
	}
	for _, test := range []struct {
		name   string
		server Server
		want   string
	}{
		{"failed", failed(ServerFailed, ServerExit, "the server exited with code 1; see its log"), `server "a b" exited with code 1; see its log`},
		{"failed, of another subject", failed(ServerFailed, ServerSpawn, `the command "x" was not found; install it`), `server "a b": the command "x" was not found; install it`},
		{"failed, and named already", failed(ServerFailed, ServerStartTimeout, `server "a b" took too long`), `server "a b" took too long`},
		{"restarting", failed(ServerRestarting, ServerExit, "the server exited with code 1; see its log"), `server "a b" exited with code 1, and is started again; see its log`},
		{"denied", failed(ServerNeedsApproval, ServerDenied, "it was denied; to allow it, run: x"), `server "a b" was denied; to allow it, run: x`},
		{"disabled", Server{Name: "a b", State: ServerDisabled, Source: "file:///home/u/mcp.json"}, `server "a b" is not ready (disabled); enable it in /home/u/mcp.json`},
		{"run by another client", Server{Name: "a b", State: ServerDisabled, RunBy: "Cursor", Source: "file:///p/.cursor/mcp.json"},
			`server "a b" is run by Cursor itself; call it there, or let all your editors share it: move it from /p/.cursor/mcp.json to your own mcp.json`},
		{"stopped", Server{Name: "a b", State: ServerStopped}, `server "a b" is not ready (stopped); start it first`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := NotReady(test.server); got.Message != test.want || got.Kind != KindServerNotReady {
				t.Errorf("got %s, want %s", got.Message, test.want)
			}
		})
	}
}
