package main

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// A call is one kind of call, to one server.
type call struct {
	server    string
	tool      string
	arguments string // JSON
	size      int    // bytes of text in the result
}

// A turn is what one way did while it was its turn.
type turn struct {
	each []time.Duration // of each call
	wall time.Duration   // from the first request to the last answer
}

// A turnLength says how long a turn is.
type turnLength struct {
	time  time.Duration // no call begins later
	least int           // but so many calls are made
}

// turnLimit ends a turn in which nothing arrives any more.
const turnLimit = 20 * time.Second

// A pipeline makes calls on one stream.
type pipeline struct {
	stream  *stream
	request func(id int, c call) []string // the parts of a message
	last    int                           // the last id
}

// turn makes calls, so many at a time, on one connection. Requests that may be sent at the same
// moment go in one write. A second goroutine writes only where the requests are so large that a
// server would stop reading them before somebody reads its answers.
func (p *pipeline) turn(c call, inFlight int, length turnLength) (t turn, err error) {
	stopped := time.AfterFunc(turnLimit, func() { _ = p.stream.shut() })
	defer stopped.Stop()
	write := p.stream.out.Write
	if inFlight > 1 && inFlight*len(c.arguments) > 16<<10 {
		var finish func() error
		write, finish = p.writer(inFlight)
		defer func() { err = errors.Join(err, finish()) }()
	}
	first := p.last + 1
	var sent []time.Time // by id - first
	var batch []byte
	add := func(now time.Time) {
		p.last++
		batch = p.stream.frame(batch, p.request(p.last, c)...)
		sent = append(sent, now)
	}
	begin := time.Now()
	for range inFlight {
		add(begin)
	}
	failed := ""
	for {
		if len(batch) > 0 {
			if _, err := write(batch); err != nil {
				return t, err
			}
			batch = batch[:0]
			if cap(batch) > readBuffer {
				batch = nil
			}
		}
		for {
			a, err := p.stream.next()
			if err != nil {
				return t, err
			}
			if a.id >= first && a.id <= p.last {
				now := time.Now()
				t.each = append(t.each, now.Sub(sent[a.id-first]))
				if a.failed != "" {
					failed = a.failed
				} else if a.size < c.size {
					return t, fmt.Errorf("an answer of %d bytes to a call whose result has %d", a.size, c.size)
				}
				if failed == "" && (now.Sub(begin) < length.time || len(sent) < length.least) {
					add(now)
				}
			}
			if len(t.each) == len(sent) || p.stream.in.Buffered() == 0 {
				break
			}
		}
		if len(t.each) == len(sent) {
			break
		}
	}
	t.wall = time.Since(begin)
	if failed != "" {
		return t, fmt.Errorf("a call failed: %s", failed)
	}
	return t, nil
}

// writer returns a Write that another goroutine does, and a function that waits for all of it.
func (p *pipeline) writer(inFlight int) (write func([]byte) (int, error), finish func() error) {
	batches, ended := make(chan []byte, inFlight), make(chan error, 1)
	go func() {
		var err error
		for b := range batches {
			if err == nil {
				_, err = p.stream.out.Write(b)
			}
		}
		ended <- err
	}()
	write = func(b []byte) (int, error) {
		batches <- append([]byte(nil), b...)
		return len(b), nil
	}
	return write, func() error { close(batches); return <-ended }
}

// callers makes calls with a function that makes one, which has a caller's number.
func callers(inFlight int, length turnLength, do func(caller int) error) (turn, error) {
	var (
		mu   sync.Mutex // guards the fields of t, and err
		t    turn
		err  error
		made int
		wg   sync.WaitGroup
	)
	begin := time.Now()
	more := func() bool {
		mu.Lock()
		defer mu.Unlock()
		if err != nil || made >= max(length.least, inFlight) && time.Since(begin) >= length.time {
			return false
		}
		made++
		return true
	}
	for caller := range inFlight {
		wg.Go(func() {
			var each []time.Duration
			var failed error
			for failed == nil && more() {
				begin := time.Now()
				if failed = do(caller); failed == nil {
					each = append(each, time.Since(begin))
				}
			}
			mu.Lock()
			defer mu.Unlock()
			t.each = append(t.each, each...)
			if err == nil {
				err = failed
			}
		})
	}
	wg.Wait()
	t.wall = time.Since(begin)
	return t, err
}
