package stdio

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A server may read as slowly as it likes. One that stops is found out after the time limit, wherever
// in a message it has stopped.
func TestWriteSteadily(t *testing.T) {
	const stall = 10 * time.Second
	for _, tt := range []struct {
		name  string
		read  int           // bytes at once
		times int           // before the server reads no more; 0: it goes on
		pause time.Duration // before each
		fails time.Duration // after which the write fails; 0: it does not
	}{
		{"at once", 1000, 0, 0, 0},
		{"a part after the other", 10, 0, 9 * time.Second, 0},
		{"nothing", 0, 1, 0, stall},
		{"a part, and then nothing", 500, 1, 0, stall},
		{"parts, and then nothing", 100, 4, 9 * time.Second, 36*time.Second + stall},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				var server sync.WaitGroup
				defer server.Wait()
				defer near.Close()
				server.Go(func() {
					for n := 0; tt.times == 0 || n < tt.times; n++ {
						time.Sleep(tt.pause) // of the test's clock
						if _, err := io.ReadFull(far, make([]byte, tt.read)); err != nil {
							return
						}
					}
				})
				began := time.Now()
				err := writeSteadily(near, []byte(strings.Repeat("x", 1000)), stall)
				took := time.Since(began)
				switch {
				case tt.fails == 0 && err != nil:
					t.Errorf("after %v: %v", took, err)
				case tt.fails == 0:
					time.Sleep(stall)
					if _, err := near.Write(make([]byte, 1000)); err != nil {
						t.Errorf("the next write: %v", err)
					}
				case tt.fails > 0 && (!errors.Is(err, os.ErrDeadlineExceeded) || took < tt.fails || took > tt.fails+stall/10):
					t.Errorf("after %v: %v, want to fail after %v", took, err, tt.fails)
				}
			})
		})
	}
}
