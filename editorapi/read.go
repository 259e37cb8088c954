package editorapi

import (
	"go.lsp.dev/jsonrpc2"
	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/cork"
)

// readAll handles what the peer sends, in the order of the wire, and returns why there is no more of
// it. An invalid message is answered, and the connection goes on. While the peer does not read its
// answers, no more is read from it.
func (p *peer) readAll() error {
	var later cork.Cork // of this goroutine
	defer later.Flush()
	for {
		if !p.in.ready() || !p.out.hasRoom() {
			later.Flush()
		}
		p.out.awaitRoom()
		frame, err := p.in.next()
		if err != nil {
			return err
		}
		m, err := cut(frame)
		later.More(p.in.ready())
		if err == nil && p.pass(m, &later) {
			continue
		}
		var valid, reply []byte
		problem := ""
		if err != nil {
			problem = err.Error()
			reply = errorAnswer(nil, jsonrpc2.ParseError, "the message is not valid JSON: "+problem)
		} else {
			valid, reply, problem = m.inspect()
		}
		if problem != "" {
			p.log.Warn("a message is not valid", zap.String("problem", problem), zap.Int("bytes", len(frame)))
		}
		if reply != nil {
			if err := p.out.push(append(newFrame(), reply...), answer); err != nil {
				return err
			}
		}
		if valid != nil {
			m, _ := cut(valid) // of an invalid answer, what stands for it
			p.handle(m)
		}
	}
}
