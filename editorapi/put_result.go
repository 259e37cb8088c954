package editorapi

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/keptfiles"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

// putResult writes a result below its call, wherever that is now. If it is nowhere, or the editor does not
// let us, the result is shown as a document of its own.
func (s *session) putResult(this *run, call *calldoc.Call, result calldoc.Result) {
	brief := result.Failed && isShort(result.Text) // nothing opens while somebody types
	if !brief {
		s.awaitReadable(this)
	}
	for try := range maxEditTries {
		done, again := s.tryResult(this, call, result)
		if done {
			return
		}
		if !again {
			break
		}
		select { // somebody types: a moment later he may pause
		case <-time.After(time.Duration(try) * editPause):
		case <-s.peer.ctx.Done():
			return
		}
	}
	if brief {
		s.show(SeverityError, safetext.Line(call.Target, maxCommandPart)+": "+result.Text)
		return
	}
	s.openText(s.peer.ctx, call.Target+".txt", result.Text, false)
}

// defaultWritingTimeout is longer than the pauses of somebody who types a line.
const defaultWritingTimeout = 10 * time.Second

// awaitReadable waits while the document of a call is not valid YAML there: somebody is writing a line of it. A
// document that opens now would take his keys.
func (s *session) awaitReadable(this *run) {
	ctx, cancel := context.WithTimeout(s.peer.ctx, s.o.WritingTimeout)
	defer cancel()
	for ctx.Err() == nil {
		d, at := s.locate(&this.anchor)
		if d == nil {
			return
		}
		if now := calldoc.Parse(d.text.String()).At(at); now == nil || !now.Broken {
			return
		}
		s.awaitChange(ctx, d)
	}
}

// tryResult tries to write a result below its call. again says that the document has changed meanwhile. One result is
// written at a time, since each makes the others out of date.
func (s *session) tryResult(this *run, call *calldoc.Call, result calldoc.Result) (done, again bool) {
	s.putting.Lock()
	defer s.putting.Unlock()
	d, edit, ok := s.resultEdit(this, call, result)
	if !ok {
		return false, false
	}
	if d.text.String()[edit.Start:edit.End] == edit.Text || s.putEdit(d, call, edit) {
		return true, false
	}
	return false, s.document(d.uri) != d // else it would be the same again
}

// putEdit has the editor make an edit of d, and waits for the change itself: some editors never answer, and others say
// that they have applied what they have not, as Neovim does with what was for an older text. It reports whether the
// editor has gone.
func (s *session) putEdit(d *document, call *calldoc.Call, edit textdoc.Edit) (gone bool) {
	ctx, cancel := context.WithTimeout(s.peer.ctx, maxEditWait)
	defer cancel()
	wait := maxEditWait
	if s.tellsReading() && s.client.documentChanges { // which keeps it from making an edit twice
		wait = editAgain
	}
	for lost := true; lost; {
		soon, stop := context.WithTimeout(ctx, wait)
		applied, err := s.applyEdit(soon, d, "Result of "+call.Target, edit)
		late := soon.Err() != nil
		stop()
		if !late && (!applied && err == nil || errors.As(err, new(*RPCError))) {
			s.peer.log.Info("the editor did not take a result", zap.Error(err))
			return false
		}
		lost = late && ctx.Err() == nil && s.lostEdit(d)
	}
	s.awaitChange(ctx, d)
	return s.peer.ctx.Err() != nil
}

// lostEdit reports whether an edit of d, which the editor has not answered, is lost: the editor has read what came
// after it.
func (s *session) lostEdit(d *document) bool {
	return s.document(d.uri) == d && s.awaitRead() && s.document(d.uri) == d
}

// A result is put into a document that changes while the edit is on its way maxEditTries times, each try
// editPause later than the one before. Nobody waits for the change longer than maxEditWait; an edit that is lost on
// the way is made again after editAgain, where it can be.
const (
	maxEditTries = 30
	editPause    = 10 * time.Millisecond
	maxEditWait  = 5 * time.Second
	editAgain    = time.Second
)

// resultEdit returns the edit that puts a result below its call, in the document as it is now; not ok when
// the call is gone, or cannot be read as it is.
func (s *session) resultEdit(this *run, call *calldoc.Call, result calldoc.Result) (d *document, e textdoc.Edit, ok bool) {
	d, at := s.locate(&this.anchor)
	if d == nil {
		return nil, e, false
	}
	now := calldoc.Parse(d.text.String()).At(at)
	if d.doubt || now == nil || now.Target != call.Target {
		return nil, e, false
	}
	e, ok = now.WithResult(result)
	return d, e, ok
}

// keepResult keeps what of a result is too long for a document, or no text.
func (s *session) keepResult(name string, data []byte) (path string, err error) {
	if name == calldoc.KeptText {
		data = []byte(safetext.Inert(string(data)))
	}
	extension := filepath.Ext(name)
	return s.keep(keptfiles.Kind{Label: strings.TrimSuffix(name, extension), Extension: extension, ReadOnly: true}, string(data))
}
