package editorapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/cork"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// A stream is the jsonrpc2.Stream of one connection. Its ReadFrame and WriteFrame let jsonrpc2 read
// without a copy.
//
// jsonrpc2 sees only messages that are valid; all others are answered here, and
// the connection goes on.
type stream struct {
	in    *frameReader
	out   *writer
	log   *zap.Logger
	ended func(error) // told why reading has ended; called by the goroutine that reads

	// pass takes the messages that jsonrpc2 need not see, and reports whether it has taken m. What
	// it keeps of m it copies.
	pass func(m message, later *cork.Cork) bool

	// answered gets each answer once nothing that is pushed can overtake it any more.
	answered func(body []byte)

	cork cork.Cork // of the goroutine that reads

	// encoding is held while an answer is encoded, so that there is never more than one that the
	// writer does not know of yet.
	encoding sync.Mutex
}

// ReadFrame returns the next valid message that is for jsonrpc2. While the peer does not read its
// answers, it reads no more from the peer.
func (s *stream) ReadFrame(context.Context) ([]byte, int64, error) {
	defer s.cork.Flush()
	for {
		if !s.in.ready() || !s.out.hasRoom() {
			s.cork.Flush()
		}
		s.out.awaitRoom()
		frame, err := s.in.next()
		if err != nil {
			s.ended(err)
			return nil, 0, err
		}
		m, err := cut(frame)
		s.cork.More(s.in.ready())
		if err == nil && s.pass(m, &s.cork) {
			continue
		}
		var pass, reply []byte
		problem := ""
		if err != nil {
			problem = err.Error()
			reply = errorAnswer(nil, jsonrpc2.ParseError, "the message is not valid JSON: "+problem)
		} else {
			pass, reply, problem = m.inspect()
		}
		if problem != "" {
			s.log.Warn("a message is not valid", zap.String("problem", problem), zap.Int("bytes", len(frame)))
		}
		if reply != nil {
			if err := s.out.push(append(newFrame(), reply...), answer); err != nil {
				s.ended(err)
				return nil, 0, err
			}
		}
		if pass != nil {
			return pass, int64(len(frame)), nil
		}
	}
}

// Read implements jsonrpc2.Stream.
func (s *stream) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	frame, n, err := s.ReadFrame(ctx)
	if err != nil {
		return nil, 0, err
	}
	message, err := jsonrpc2.DecodeMessage(frame)
	return message, n, err
}

// classKey is the key of a context that carries the class of the message that is
// written with it. Without it a message is an answer.
type classKey struct{}

// idKey is the key of a context with a function that gets the id of the request that is written with
// it, before it is written.
type idKey struct{}

// Write implements jsonrpc2.Stream.
func (s *stream) Write(ctx context.Context, message jsonrpc2.Message) (int64, error) {
	c, _ := ctx.Value(classKey{}).(class)
	if c != answer {
		frame := jsonrpc2.AppendMessage(newFrame(), message)
		return int64(len(frame)), s.out.enqueue(queued{frame: seal(frame), class: c, ctx: ctx}, false)
	}
	s.encoding.Lock()
	frame, claimed := s.out.claim(jsonrpc2.AppendMessage(newFrame(), message))
	s.encoding.Unlock()
	n := int64(len(frame))
	body := frame[frameRoom:] // sealing writes before it
	if named, ok := ctx.Value(idKey{}).(func(json.RawMessage)); ok {
		named(bytes.Clone(rawjson.Get(body, "id")))
	}
	if err := s.out.pushSealed(seal(frame), c, claimed); err != nil {
		return 0, err
	}
	s.answered(body)
	return n, nil
}

// WriteFrame writes a message that is encoded already.
func (s *stream) WriteFrame(_ context.Context, body []byte) (int64, error) {
	return int64(len(body)), s.out.push(append(newFrame(), body...), answer)
}

// Close implements jsonrpc2.Stream. It does not block: jsonrpc2 calls it with its
// lock held.
func (s *stream) Close() error {
	s.out.close()
	return nil
}

var _ interface {
	jsonrpc2.Stream
	ReadFrame(context.Context) ([]byte, int64, error)
	WriteFrame(context.Context, []byte) (int64, error)
	io.Closer
} = (*stream)(nil)
