package editorapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-editord/mcp-editord/internal/budget"
)

// frame is a frame of n bytes of body.
func frame(n int) []byte { return append(newFrame(), bytes.Repeat([]byte{' '}, n)...) }

// push pushes a frame of n bytes of body.
func push(t *testing.T, w *writer, n int, c class) {
	t.Helper()
	if err := w.push(frame(n), c); err != nil {
		t.Error(err)
	}
}

// writerTest runs f in a bubble with a writer on a pipe that nobody reads yet.
func writerTest(t *testing.T, f func(t *testing.T, w *writer, far net.Conn, failed chan error)) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		failed := make(chan error, 2)
		w := newWriter(near, func(err error) { failed <- err }, nil)
		f(t, w, far, failed)
		w.close()
		far.Close()
		<-w.done
		if len(failed) != 0 {
			t.Errorf("the writer failed again: %v", <-failed)
		}
	})
}

// A greedy connection takes all at once, and has the next message by the time that it has taken one.
type greedy struct {
	push     func()
	borrowed int // writes by those who push
	left     atomic.Int32
}

func (g *greedy) more() {
	if g.left.Add(-1) >= 0 {
		g.push()
	}
}

func (g *greedy) TryWrite(b []byte) (int, error) {
	g.borrowed++
	g.more()
	return len(b), nil
}

func (g *greedy) Write(b []byte) (int, error) {
	g.more()
	return len(b), nil
}

func (g *greedy) Close() error { return nil }

// Promise 4: whoever pushes a message writes only so much of what others push meanwhile. A server's
// reader that did not stop would serve one busy editor and nobody else.
func TestPromise4WritersAreBorrowedForAMoment(t *testing.T) {
	for name, more := range map[string]func(*writer){
		"a message": func(w *writer) { _ = w.push(frame(1), answer) },
		"a result":  func(w *writer) { _ = w.pushResult([]byte("1"), []byte("{}"), nil) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := &greedy{}
				w := newWriter(g, func(error) {}, nil)
				g.push = func() { more(w) }
				g.left.Store(10_000)
				more(w)
				synctest.Wait()
				if g.borrowed > maxBorrowed+1 {
					t.Errorf("who pushed one message wrote %d times", g.borrowed)
				}
				if left := g.left.Load(); left >= 0 {
					t.Errorf("%d messages were not written", left)
				}
				w.close()
				<-w.done
			})
		})
	}
}

// Promise 10: a small answer that waits takes little memory.
func TestPromise10SmallAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		memory := budget.New(1 << 20)
		w := newWriter(near, func(error) {}, memory)
		const answers = 1000
		for range answers {
			if err := w.pushResult([]byte("1"), []byte(`{"x":"small"}`), nil); err != nil {
				t.Fatal(err)
			}
		}
		if used := memory.Used(); used > answers*200 {
			t.Errorf("%d small answers use %d bytes", answers, used)
		}
		far.Close()
		<-w.done
	})
}

// Fault editor-stops-reading: an editor that does not read is disconnected when too much waits for it.
func TestQueueLimits(t *testing.T) {
	for _, test := range []struct {
		name    string
		size    int
		allowed int // messages; one more is in the hands of the goroutine that writes
	}{
		{"too many messages", 1, maxQueuedMessages},
		{"too many bytes", 1 << 20, maxQueuedBytes>>20 - 1}, // the headers count too
		{"one message of any size", maxFrame, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			writerTest(t, func(t *testing.T, w *writer, far net.Conn, failed chan error) {
				push(t, w, 1, notice)
				synctest.Wait() // it is being written
				for i := range test.allowed {
					if err := w.push(frame(test.size), notice); err != nil {
						t.Fatalf("message %d: %v", i, err)
					}
				}
				if err := w.push(frame(test.size), notice); !errors.Is(err, errPeerStalled) {
					t.Fatalf("one message too many: %v", err)
				}
				if err := <-failed; !errors.Is(err, errPeerStalled) {
					t.Errorf("the reason is %v", err)
				}
				if err := w.push(frame(1), answer); err == nil {
					t.Error("the writer takes more after it failed")
				}
			})
		})
	}
}

// Answers wait for room and are all written; progress is left out. Neither ends the connection.
func TestFullQueue(t *testing.T) {
	writerTest(t, func(t *testing.T, w *writer, far net.Conn, failed chan error) {
		const answers = 3 * maxQueuedMessages
		go func() {
			for range answers {
				w.awaitRoom()
				push(t, w, 5, answer)
			}
		}()
		for range 3 * maxQueuedMessages {
			if err := w.push(frame(7), hint); err != nil && err != ErrLeftOut {
				t.Error(err)
			}
		}
		synctest.Wait()
		if len(failed) != 0 {
			t.Fatal(<-failed)
		}
		r := newFrameReader(far)
		lengths := map[int]int{}
		for lengths[5] < answers {
			body, err := r.next()
			if err != nil {
				t.Fatal(err)
			}
			lengths[len(body)]++
		}
		if n := lengths[7]; n < maxQueuedMessages/4 || n > maxQueuedMessages {
			t.Errorf("%d hints were written", n)
		}
	})
}

// News wait for room and are all written, in their order, at the pace of the other side.
func TestPromise4NewsWaitForRoom(t *testing.T) {
	writerTest(t, func(t *testing.T, w *writer, far net.Conn, failed chan error) {
		const all = 3 * maxQueuedMessages
		pushed := make(chan int, all)
		go func() {
			for i := range all {
				push(t, w, 1+i%7, news)
				pushed <- i
			}
		}()
		synctest.Wait()
		if n := len(pushed); n < maxQueuedMessages/4 || n > maxQueuedMessages/2+1 {
			t.Errorf("%d messages wait for somebody who reads nothing", n)
		}
		if err := w.push(frame(1), notice); err != nil {
			t.Errorf("they left no room: %v", err)
		}
		r := newFrameReader(far)
		for range all + 1 {
			if _, err := r.next(); err != nil {
				t.Fatal(err)
			}
		}
		if len(failed) != 0 {
			t.Fatal(<-failed)
		}
	})
}

// News that wait for room are taken back at once when nobody waits for them any more, and are never written.
func TestNewsThatAreTakenBackBeforeThereIsRoom(t *testing.T) {
	writerTest(t, func(t *testing.T, w *writer, far net.Conn, failed chan error) {
		for range maxQueuedMessages/2 + 1 { // one is being written
			push(t, w, 1, news)
			synctest.Wait()
		}
		ctx, takeBack := context.WithCancel(t.Context())
		over := make(chan error, 1)
		go func() { over <- w.enqueue(queued{frame: seal(frame(2)), class: news, ctx: ctx}, false) }()
		synctest.Wait()
		if len(over) != 0 {
			t.Fatalf("it did not wait: %v", <-over)
		}
		began := time.Now()
		takeBack()
		if err := <-over; err != errNotSent || time.Since(began) != 0 {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		push(t, w, 3, notice)
		r := newFrameReader(far)
		for {
			body, err := r.next()
			if err != nil || len(body) == 2 {
				t.Fatalf("%d bytes were written, %v", len(body), err)
			} else if len(body) == 3 {
				return
			}
		}
	})
}

// Large answers that wait do not count against notifications.
func TestAnswersLeaveRoomForNotifications(t *testing.T) {
	writerTest(t, func(t *testing.T, w *writer, far net.Conn, failed chan error) {
		for range 2 { // one is being written, one waits
			push(t, w, 20<<20, answer)
			synctest.Wait()
		}
		push(t, w, 1, notice)
	})
}

// Fault editor-stops-reading: a write that makes no progress ends the connection; a slow one does not.
func TestStall(t *testing.T) {
	t.Run("nothing is read", func(t *testing.T) {
		writerTest(t, func(t *testing.T, w *writer, far net.Conn, failed chan error) {
			start := time.Now()
			push(t, w, 1, answer)
			if err := <-failed; !errors.Is(err, errPeerStalled) || time.Since(start) != stallLimit {
				t.Errorf("after %v: %v", time.Since(start), err)
			}
			<-w.done
		})
	})
	t.Run("something is read now and then", func(t *testing.T) {
		writerTest(t, func(t *testing.T, w *writer, far net.Conn, failed chan error) {
			push(t, w, 10*chunk, answer)
			buf := make([]byte, chunk)
			for range 10 {
				<-time.After(stallLimit * 9 / 10) // of the test's clock
				if _, err := io.ReadFull(far, buf); err != nil {
					t.Fatal(err)
				}
			}
		})
	})
}

// Closing writes what is queued, but not for ever.
func TestDrain(t *testing.T) {
	writerTest(t, func(t *testing.T, w *writer, far net.Conn, failed chan error) {
		for range 3 {
			push(t, w, 1, answer)
		}
		w.close()
		if err := w.push(frame(1), answer); err == nil {
			t.Error("a closed writer takes messages")
		}
		got, err := io.ReadAll(far)
		if n := strings.Count(string(got), "Content-Length"); n != 3 || err != nil {
			t.Errorf("%d messages were written, %v", n, err)
		}
	})
	writerTest(t, func(t *testing.T, w *writer, far net.Conn, failed chan error) {
		push(t, w, 1, answer)
		start := time.Now()
		w.close()
		<-w.done
		if waited := time.Since(start); waited != drainLimit {
			t.Errorf("closing took %v", waited)
		}
	})
}

// Whoever waits for room is let go when the writer ends.
func TestWaitingForRoomEndsWithTheWriter(t *testing.T) {
	writerTest(t, func(t *testing.T, w *writer, far net.Conn, failed chan error) {
		done := make(chan error, 1)
		go func() {
			for {
				w.awaitRoom()
				if err := w.push(frame(1), answer); err != nil {
					done <- err
					return
				}
			}
		}()
		synctest.Wait()
		w.close()
		if err := <-done; !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("the answer that waited got %v", err)
		}
	})
}

// A writer whose peer is gone says so once.
func TestWriteError(t *testing.T) {
	writerTest(t, func(t *testing.T, w *writer, far net.Conn, failed chan error) {
		far.Close()
		push(t, w, 1, notice)
		if err := <-failed; err == nil {
			t.Error("there is no reason")
		}
	})
}

// Promise 10: answers that nobody reads have a limit. An answer over it becomes an error that says
// why, also when nothing waits, and all memory is given back, whatever becomes of the answers.
func TestPromise10UnreadAnswers(t *testing.T) {
	body := func(id, n int) []byte {
		return append(newFrame(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":"%s"}`, id, strings.Repeat("x", n))...)
	}
	const large = 200 << 10
	for _, end := range []string{"all is read", "the editor goes", "the writer is closed"} {
		t.Run(end, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				all := budget.New(16 << 20)
				memory := all.Child(1 << 20)
				w := newWriter(near, func(error) {}, memory)
				write := func(frame []byte) {
					frame, claimed := w.claim(frame)
					if err := w.pushSealed(seal(frame), answer, claimed); err != nil {
						t.Error(err)
					}
				}
				for id := range 10 {
					write(body(id, large))
					if memory.Used() > 1<<20 {
						t.Fatalf("%d bytes are used", memory.Used())
					}
				}
				if n := w.waiting(); n < 9 {
					t.Errorf("%d answers wait", n)
				}
				switch end {
				case "all is read":
					r := newFrameReader(far)
					for id := range 10 {
						got, err := r.next()
						if err != nil {
							t.Fatal(err)
						}
						want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":`, id)
						if id >= 4 {
							want = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32803,`, id)
						}
						if !bytes.HasPrefix(got, []byte(want)) || id >= 4 && !bytes.Contains(got, []byte(`"kind":"busy"`)) {
							t.Errorf("answer %d is %.200s", id, got)
						}
					}
					synctest.Wait()
					if memory.Used() != 0 {
						t.Errorf("when all is read %d bytes are used", memory.Used())
					}
					if !all.Acquire(16<<20 - 10<<10) { // others use all that there is
						t.Fatal("there is no memory left")
					}
					write(body(11, large))
					if got, err := r.next(); err != nil || !bytes.Contains(got, []byte(`"kind":"tooLarge"`)) {
						t.Errorf("an answer for which there is no memory is %.200s, %v", got, err)
					}
					all.Release(16<<20 - 10<<10)
					w.close()
				case "the editor goes":
					far.Close()
				default:
					w.close()
				}
				<-w.done
				frame, claimed := w.claim(body(12, 10))
				if err := w.pushSealed(seal(frame), answer, claimed); err == nil {
					t.Error("a writer that has ended takes an answer")
				}
				if memory.Used() != 0 || all.Used() != 0 {
					t.Errorf("at the end %d and %d bytes are used", memory.Used(), all.Used())
				}
				far.Close()
			})
		})
	}
}
