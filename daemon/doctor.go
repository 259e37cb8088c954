package daemon

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// doctorBudget is how long the disk and the keyring may take to answer.
const doctorBudget = 10 * time.Second

// Doctor implements [editorapi.Attachment].
func (e *editor) Doctor(ctx context.Context, p editorapi.DoctorParams) (editorapi.DoctorResult, error) {
	if p.Server != "" {
		e.d.mu.Lock()
		c := e.on[p.Server]
		e.d.mu.Unlock()
		if c != nil { // why it does not run is a check
			_, _ = e.audited(auditStart, p.Server, e.startNow(p.Server, false))(ctx)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, doctorBudget)
	defer cancel()
	done := make(chan editorapi.DoctorResult, 1)
	e.d.dialing.Go(func() {
		x := &examination{e: e, programs: []string{}}
		x.all(p.Server)
		done <- editorapi.DoctorResult{Checks: x.Checks, Programs: x.programs}
	})
	select {
	case result := <-done:
		return result, nil
	case <-ctx.Done():
		return editorapi.DoctorResult{}, &editorapi.Error{Kind: editorapi.KindTimeout, Message: "a disk does not answer; check those of your home directory and of the workspace folders"}
	}
}

// An examination is one look at what an editor has. It reads the disk, and holds d.mu only to copy what is known.
type examination struct {
	e *editor
	editorapi.Checks
	programs []string
}

// all looks at one server or, where server is "", at everything.
func (x *examination) all(server string) {
	d := x.e.d
	d.mu.Lock()
	set := x.e.set
	var patients []patient
	for _, def := range set.Servers {
		if server == "" || def.Name == server {
			patients = append(patients, x.patient(def))
		}
	}
	d.mu.Unlock()

	x.configuration(set)
	if server != "" && len(patients) == 0 {
		x.Fail("definition", fmt.Sprintf("there is no server %q in this workspace", server),
			"no file defines it, or its definition is wrong", "mcp-editord servers")
	}
	for _, p := range patients {
		before := len(x.Checks)
		x.server(p)
		x.done(before, p.def, p.secrets)
	}
	for _, def := range set.Shadowed {
		if server == "" || def.Name == server {
			x.Warn("definition", "this definition is ignored: another one of the same name counts",
				"what you change here has no effect", "take it out of this file, or give it another name")
			x.done(len(x.Checks)-1, def, nil)
		}
	}
	if server == "" {
		x.environments()
		x.keyring()
		x.leftovers()
	}
	x.done(0, config.Definition{}, nil)
}

// done finishes the checks from the index first on: it says about which definition they are, takes secrets out, and makes
// the texts safe to show.
func (x *examination) done(first int, def config.Definition, secrets *strings.Replacer) {
	place := x.place(def)
	for i := first; i < len(x.Checks); i++ {
		c := &x.Checks[i]
		if def.Name != "" {
			c.Server, c.File = def.Name, place
		}
		for _, text := range []*string{&c.Text, &c.Why, &c.Remedy, &c.File} {
			if secrets != nil {
				*text = secrets.Replace(*text)
			}
			*text = safetext.Line(*text, math.MaxInt)
		}
	}
}

// place returns where a definition is.
func (x *examination) place(def config.Definition) string {
	place, err := x.e.placeIn(def.Source.URI, def.Name)
	if err != nil || place.Range == nil {
		return fileuri.Shown(def.Source.URI)
	}
	return fmt.Sprintf("%s:%d", fileuri.Shown(place.URI), place.Range.Start.Line+1)
}

// configuration looks at the configuration files.
func (x *examination) configuration(set *config.Set) {
	problems := append(slices.Clone(set.Problems), x.e.d.approvals.Records().Problems()...)
	for _, p := range problems {
		c := x.Warn("configuration", p.Message, "it has no effect, or another one than you expect", "")
		c.State, c.Remedy = editorapi.CheckState(p.Severity), cmp.Or(c.Remedy, "correct it there")
		if c.File = fileuri.Shown(p.URI); p.Line > 0 {
			c.File += fmt.Sprintf(":%d", p.Line)
		}
	}
	if slices.ContainsFunc(set.Servers, func(def config.Definition) bool {
		return def.Source.URI != config.SourceBuiltin
	}) {
		x.OK("configuration", fmt.Sprintf("servers: %d", len(set.Servers)))
	} else if len(problems) == 0 {
		x.Warn("configuration", "no file has a server",
			"your editors get the built-in server only", "mcp-editord add NAME -- COMMAND")
	}
}

// environments compares the PATH of each editor with that of who asks.
func (x *examination) environments() {
	x.e.d.mu.Lock()
	defer x.e.d.mu.Unlock()
	for _, e := range x.e.d.editors {
		theirs := filepath.SplitList(e.env["PATH"])
		lacks := slices.DeleteFunc(filepath.SplitList(x.e.env["PATH"]), func(dir string) bool {
			return slices.Contains(theirs, dir)
		})
		if len(lacks) > 0 {
			x.Warn("environment", fmt.Sprintf("PATH of %s lacks %s", e.title(), strings.Join(lacks, ", ")),
				"servers run with the environment of the editor, and may not find their programs",
				"start it from this terminal, or set PATH where it is started")
		} else if e != x.e {
			x.OK("environment", "PATH of "+e.title()+" has all directories of yours")
		}
	}
}

// keyring looks whether secrets are kept, if a server has any. It asks a keyring only then: that may show a window.
func (x *examination) keyring() {
	d := x.e.d
	d.mu.Lock()
	keeps := slices.ContainsFunc(x.e.set.Inputs, func(in config.Input) bool { return in.Password })
	for _, c := range x.e.on {
		keeps = keeps || c.account != nil
	}
	d.mu.Unlock()
	if !keeps {
		return
	}
	_, _ = d.secrets.Get(d.ctx, "doctor") // there is none, but now Problem is as of now
	if problem := d.secrets.Problem(); problem != "" {
		x.Warn("keyring", problem, "you are asked for passwords and to sign in again", "")
	} else {
		x.OK("keyring", "secrets are kept: "+string(d.kept()))
	}
}

// leftovers looks whether servers of an earlier daemon have ended.
func (x *examination) leftovers() {
	select {
	case <-x.e.d.reaped:
		if err := x.e.d.reapFailed; err != nil {
			x.Warn("processes", "servers of an earlier daemon may still run: "+err.Error(),
				"two processes of a server may get in each other's way", "mcp-editord stop")
		}
	case <-time.After(patience):
		x.Warn("processes", "servers of an earlier daemon are still being ended",
			"no server starts before that", "wait some seconds")
	}
}
