package editorapi

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/zap"
)

// Fault editor-stops-reading: who takes a question back does not wait until the editor reads, and a question that was not
// sent by then never is.
func TestWithdrawnQuestionLeavesTheQueue(t *testing.T) {
	for _, test := range []struct {
		name          string
		before, after int  // news that wait when it is asked, and more when it is withdrawn
		sent          bool // the editor has got it by then
		want          string
	}{
		{"it waits in the queue", 1, 0, false, "first news end"},
		{"it waits among others", 1, 2, false, "first news news news end"},
		{"it was sent", 0, 1, true, "first news $/cancelRequest end"},
		{"it was sent, and no more news fit", 0, maxQueuedMessages / 2, true, "first" + strings.Repeat(" news", maxQueuedMessages/2) + " $/cancelRequest end"},
	} {
		t.Run(test.name, func(t *testing.T) {
			near, far := net.Pipe()
			p := newPeer(near, &session{}, ErrEditorGone, zap.NewNop(), nil)
			p.start()
			r := newFrameReader(far)
			next := func() string {
				body, err := r.next()
				if err != nil {
					t.Fatal(err)
				}
				return strings.Split(string(body), `"method":"`)[1]
			}
			queued := func() int {
				p.out.mu.Lock()
				defer p.out.mu.Unlock()
				return p.out.loadOf(news).messages
			}
			await := func(n int) {
				for queued() != n {
					runtime.Gosched()
				}
			}
			tell := func(method string, n int, c class) {
				for range n {
					if err := p.notify(method, nil, c); err != nil {
						t.Fatal(err)
					}
				}
			}
			ctx, withdraw := context.WithCancel(t.Context())
			withdrawn := make(chan error, 1)
			ask := func() {
				go func() {
					_, err := p.ask(ctx, "question", nil, nil)
					withdrawn <- err
				}()
			}
			if test.sent {
				ask()
				if got := next(); !strings.HasPrefix(got, "question") {
					t.Fatal(got)
				}
			}
			tell("first", 1, notice)
			await(0) // it is being written
			tell("news", test.before, news)
			if !test.sent {
				ask()
				await(test.before + 1)
			}
			tell("news", test.after, news)
			withdraw()
			if err := <-withdrawn; !errors.Is(err, context.Canceled) {
				t.Errorf("taken back: %v", err)
			}
			tell("end", 1, notice)
			if got, want := queued(), len(strings.Fields(test.want))-1; got != want {
				t.Errorf("%d messages count as queued, want %d", got, want)
			}
			var got []string
			for len(got) == 0 || got[len(got)-1] != "end" {
				got = append(got, strings.Split(next(), `"`)[0])
			}
			if all := strings.Join(got, " "); all != test.want {
				t.Errorf("sent was %.300s", all)
			}
			p.end(nil)
			_, _ = io.Copy(io.Discard, far)
			_ = p.wait()
		})
	}
}
