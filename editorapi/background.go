package editorapi

import (
	"context"
	"encoding/json"
	"time"

	"go.lsp.dev/protocol"
)

// maxWorks is how much work of one editor goes on at once, beside the requests that wait for an answer.
const maxWorks = 64

// defaultProgressAfter is how long work goes on before the editor shows it: what is over sooner would
// only flicker.
const defaultProgressAfter = 500 * time.Millisecond

// maxTokenWait is how long a result waits for an editor that has not said yet whether it takes the token of its progress.
const maxTokenWait = time.Second

// background has do go on as work of its own, once the editor has read the answer to r: the caller answers at once. Its progress
// is shown under title, where the editor takes that, and can be cancelled there. do gets the context of
// the work, which ends when the user cancels it or the editor goes, and a function that takes each
// notifications/progress; nil when nobody looks. It returns a function that shows what came of the work.
// That is called after the end of the progress: in Helix an end clears the line in which a message is shown.
//
// A workDoneToken of r is not used: "The token received via the workDoneToken property in a request's
// param literal is only valid as long as the request has not sent a response back" (LSP 3.18, Work Done
// Progress).
//
// The error is of [KindBusy] when [maxWorks] go on, or when the memory for requests is used up: the work
// holds the params of r.
func (s *session) background(r *request, title string, do func(ctx context.Context, report func(json.RawMessage)) (show func())) error {
	if err := context.Cause(r.ctx); err != nil {
		return err
	}
	if err := s.beginWork(r); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(s.peer.ctx)
	var p progress
	var report func(json.RawMessage)
	late := func() {}
	if s.client.workDoneProgress {
		create, reporting := s.lazily(ctx, &p, title, func(cause error) { cancel(cause) })
		long := time.AfterFunc(s.o.ProgressAfter, create)
		report, late = reporting, func() { long.Stop() }
	}
	s.peer.running.Go(func() {
		defer s.endWork(r)
		defer cancel(nil)
		select {
		case <-r.answered:
			s.awaitRead()
		case <-s.peer.ctx.Done(): // and so is ctx
		}
		var show func()
		if err := s.peer.guard(r.method, func() { show = do(ctx, report) }); err != nil {
			show = func() { s.showFailure(title, err) }
		}
		late()
		p.settle(maxTokenWait)
		p.end()
		if err := s.peer.guard(r.method, show); err != nil {
			s.showFailure(title, err)
		}
	})
	return nil
}

// afterwards is background for what shows its own result. Its error is shown.
func (s *session) afterwards(r *request, title string, do func(ctx context.Context) error) error {
	return s.background(r, title, func(ctx context.Context, _ func(json.RawMessage)) func() {
		return func() {
			if err := do(ctx); err != nil {
				s.showFailure(title, err)
			}
		}
	})
}

// An editor that does not say that it has read something is asked again after readAgain, readTries times in all.
const (
	readAgain = 250 * time.Millisecond
	readTries = 4
)

// awaitRead waits until the editor has read what it was sent: lsp-mode 9 loses what comes together with the answer
// that it waits for (emacs-lsp/lsp-mode#4323). The sign is its answer to a request for no configuration at all; an
// editor that can give none is not waited for.
func (s *session) awaitRead() (read bool) {
	if !s.tellsReading() {
		return false
	}
	none := protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{}}
	for range readTries {
		ctx, cancel := context.WithTimeout(s.peer.ctx, readAgain)
		_, err := s.ask(ctx, protocol.MethodWorkspaceConfiguration, none)
		late := ctx.Err() != nil
		cancel()
		if err == nil || !late {
			return s.peer.ctx.Err() == nil
		}
	}
	return false
}

// tellsReading reports whether awaitRead can know what the editor has read.
func (s *session) tellsReading() bool { return s.plain() && s.client.configuration }

// beginWork takes what r holds for work, or returns an error of [KindBusy].
func (s *session) beginWork(r *request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.works >= maxWorks:
		return errorf(KindBusy, "", "%d calls are under way; wait for some of them, or cancel them", maxWorks)
	case !s.o.Memory.Acquire(r.size):
		return errorf(KindBusy, "", "the calls under way use all memory that there is for them; wait for some of them")
	}
	s.works++
	return nil
}

// endWork gives back what beginWork has taken.
func (s *session) endWork(r *request) {
	s.o.Memory.Release(r.size)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.works--
}
