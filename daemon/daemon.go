// Package daemon is one user's daemon. Package [ipc] is the way in to it. The rooms meet
// here and nowhere else: editors ([editorapi]) on one side, servers ([mcpclient]) on the
// other, and in between who shares which server ([config], [roots]) and who is asked what.
//
// Invariants:
//
//   - A server process runs once for all editors whose keys are equal (see key.go).
//   - A server from a workspace file runs only when somebody has allowed its digest.
//   - Each question of a server goes to one editor. The server has an answer within a second of
//     that editor's end, unless the editor has left in order and others wait: see awaitReturn.
//   - Servers end with the daemon, however it ends, and so does everything that they started.
//     What is left all the same, the next daemon ends.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/budget"
	"github.com/mcp-editord/mcp-editord/internal/debounce"
	"github.com/mcp-editord/mcp-editord/internal/fswatch"
	"github.com/mcp-editord/mcp-editord/internal/ipc"
	"github.com/mcp-editord/mcp-editord/internal/reclaim"
	"github.com/mcp-editord/mcp-editord/internal/rerun"
	"github.com/mcp-editord/mcp-editord/internal/secrets"
)

// Options configure a daemon. They are copied.
type Options struct {
	Paths       ipc.Paths
	Version     string        // of the program
	LogLevel    string        // debug, info, warn or error; "" means info
	IdleTimeout time.Duration // how long the daemon runs without editors; 0 means 5 minutes
}

const (
	defaultIdleTimeout = 5 * time.Minute
	defaultLinger      = time.Minute     // how long a server runs without editors
	drainTimeout       = 5 * time.Second // for calls under way when the daemon ends

	maxEras    = 1000 // definitions whose version is remembered
	maxEditors = 1024 // at once; package ipc lets a few more connect, so that they learn of it
)

// Bounds, in bytes, of the memory for what others send: messages being read, results on their way,
// lists of servers, answers that an editor has not read. Nobody can use up what the others need.
const (
	daemonMemory = 1 << 30   // for all together
	serverMemory = 256 << 20 // for one server
	editorMemory = 128 << 20 // for one editor
)

// Serve runs the daemon of o.Paths until ctx ends or the daemon has been idle for o.IdleTimeout,
// and then returns nil. When another daemon has the state directory or the socket it returns [ipc.ErrAlreadyRunning].
func Serve(ctx context.Context, o Options) error {
	l, err := ipc.Listen(o.Paths)
	if err != nil {
		return err
	}
	defer l.Close()
	log, closeLog, err := newLogger(o.Paths, o.LogLevel)
	if err != nil {
		return err
	}
	defer closeLog()

	d, err := newDaemon(o, log)
	if err != nil {
		return err
	}
	defer d.close()
	l.Watch(d.hub, log)
	d.endLeftovers(l.Reap)

	ctx, stop := context.WithCancel(ctx)
	defer stop()
	context.AfterFunc(d.idle, stop)
	context.AfterFunc(ctx, l.StopAccepting)
	log.Info("serving", zap.String("version", o.Version), zap.Int("pid", os.Getpid()), zap.String("socket", o.Paths.Socket))
	for {
		conn, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil {
				log.Info("ending", zap.NamedError("reason", context.Cause(d.idle)))
				return nil
			}
			return fmt.Errorf("accepting editors: %w", err)
		}
		d.running.Go(func() {
			err := editorapi.Serve(d.ctx, conn, d, editorapi.Options{Log: log.Named("editor"), Version: o.Version, QuestionDir: o.Paths.QuestionDir(), TextDir: o.Paths.TextDir(), Answers: &d.answers, Memory: d.memory.Child(editorMemory)})
			if err != nil {
				log.Warn("an editor's connection ended", zap.Error(err))
			}
		})
	}
}

// Daemon is the backend of all editors.
type Daemon struct {
	opts      Options
	log       *zap.Logger
	exe       string // this program, which is also the built-in server
	started   time.Time
	hub       *fswatch.Hub
	store     *config.Store
	approvals *config.Approvals
	pins      *config.Pins
	audit     *audit
	secrets   *secrets.Store
	answers   editorapi.Answers   // that plain clients have open
	memory    *budget.Budget      // of servers and editors together
	catalogs  *catalogs           // what servers offered last
	most      int                 // editors at once
	returns   time.Duration       // see awaitReturn
	linger    time.Duration       // how long a server runs without editors
	reclaimer *debounce.Debouncer // gives memory back

	keepingTold *rerun.Runner // runs keepTold
	configuring sync.Mutex    // held while a configuration file is changed; before mu

	leftOut atomic.Int64 // notifications of servers that an editor did not keep up with

	ctx     context.Context // ends when the daemon does
	cancel  context.CancelFunc
	running sync.WaitGroup // every goroutine of the daemon except those in dialing
	dialing sync.WaitGroup // those that may wait for a disk, see connection.Dial
	reaped  chan struct{}  // closed when no server of an earlier daemon is left; see endLeftovers

	reapFailed error // why some may be left all the same; set before reaped is closed

	idle     context.Context // ends when there have been no editors for IdleTimeout
	goneIdle context.CancelCauseFunc

	// mu guards the fields that follow, and those of editors and connections that say so. The
	// locks of rooms and leaves are taken with it held, never the other way round. Nothing waits
	// with it held, neither for a disk nor for anybody: each editor is reconciled by a goroutine of
	// its own (editor.reconciling).
	mu         sync.Mutex
	closing    bool
	editors    []*editor      // in the order in which they attached
	lastID     int            // of an editor
	told       map[string]int // failures: the last id of an editor when the user was told; see told.go
	comings    chan struct{}  // closed and replaced when an editor comes or goes
	uses       int64          // counts what users do, to know which editor was used last
	calls      int64          // counts the questions about calls of agents
	conns      map[string]*connection
	inputs     map[inputKey]string
	asking     map[inputKey]*inputQuestion // the last about each
	accounts   map[string]*account         // by whole name, see accountNames
	eras       map[string]string           // by digest of a definition: the version that its server last spoke
	idleTimer  *time.Timer
	pastCounts map[string]int64 // of connections that have ended
}

var errIdle = errors.New("no editor for a while")

func newDaemon(o Options, log *zap.Logger) (*Daemon, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program's own file: %w", err)
	}
	if err := os.RemoveAll(o.Paths.QuestionDir()); err != nil {
		return nil, fmt.Errorf("removing what an earlier daemon left behind: %w", err)
	}
	if err := ipc.EnsureStateDir(o.Paths.QuestionDir()); err != nil {
		return nil, err
	}
	approvals, err := config.OpenApprovals(o.Paths.ApprovalsFile())
	if err != nil {
		return nil, err
	}
	pins, err := config.OpenPins(o.Paths.ToolsDir())
	if err != nil {
		return nil, err
	}
	if o.IdleTimeout == 0 {
		o.IdleTimeout = defaultIdleTimeout
	}
	d := &Daemon{
		opts: o, log: log.Named("daemon"), exe: exe, started: time.Now(), approvals: approvals, pins: pins, audit: &audit{openLines(o.Paths.AuditFile())},
		memory: budget.New(daemonMemory), most: maxEditors, returns: returnLimit, linger: defaultLinger, comings: make(chan struct{}), told: map[string]int{}, reaped: make(chan struct{}),
		conns: map[string]*connection{}, inputs: map[inputKey]string{}, asking: map[inputKey]*inputQuestion{}, accounts: map[string]*account{}, eras: map[string]string{}, pastCounts: map[string]int64{},
	}
	d.keepingTold = rerun.New(d.keepTold)
	d.readTold()
	d.catalogs = newCatalogs(o.Paths.CatalogsDir(), log.Named("catalogs"))
	d.reclaimer = reclaim.New()
	d.memory.OnMove(d.reclaimer.Trigger)
	d.ctx, d.cancel = context.WithCancel(context.Background())
	d.idle, d.goneIdle = context.WithCancelCause(d.ctx)
	d.hub = fswatch.New(log.Named("fswatch"))
	d.store = config.NewStore(o.Paths.Config, d.hub, log.Named("config"))
	d.secrets = secrets.Open(secrets.Options{
		Place: d.store.User().Credentials, Dir: o.Paths.StateDir, Log: log.Named("secrets"), Changed: d.secretsChanged,
	})
	d.store.Subscribe(d.reconcileAll)
	d.idleTimer = time.AfterFunc(o.IdleTimeout, d.goIdle)
	return d, nil
}

// endLeftovers ends the servers that an earlier daemon left behind, with reap. It looks at every
// process of this machine, which takes longer than all else at the start, so editors attach
// meanwhile. No server starts before reap has returned: it could not tell a new server from an old
// one.
func (d *Daemon) endLeftovers(reap func() (pids []int, err error)) {
	d.running.Go(func() {
		defer close(d.reaped)
		if pids, err := reap(); err != nil {
			d.reapFailed = err
			d.log.Warn("looking for servers of an earlier daemon", zap.Error(err))
		} else if len(pids) > 0 {
			d.log.Warn("ended servers that an earlier daemon had left", zap.Ints("pids", pids))
		}
	})
}

// goIdle ends the daemon unless an editor has come in the meantime.
func (d *Daemon) goIdle() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.editors) == 0 {
		d.goneIdle(errIdle)
	}
}

// endBudget is how long the daemon waits for its servers and goroutines to end.
const endBudget = 20 * time.Second

// close ends editors and servers, and returns when nothing is left of them. It waits no longer
// than patience for goroutines that wait for a disk that hangs; they end with the process.
func (d *Daemon) close() {
	d.mu.Lock()
	d.closing = true
	d.idleTimer.Stop()
	conns := slices.Collect(maps.Values(d.conns))
	d.mu.Unlock()

	// Calls under way may still get their answers: servers end before editors do.
	if !endsIn(endBudget, func() {
		var stopping sync.WaitGroup
		for _, c := range conns {
			stopping.Go(c.finish)
		}
		stopping.Wait()
		d.closeAccounts()
		d.cancel()
		d.running.Wait()
	}) {
		d.log.Error("ending, though some goroutines have not ended", zap.Duration("waited", endBudget))
	}
	if !endsIn(patience, d.dialing.Wait) {
		d.log.Warn("ending, though a disk does not answer", zap.Duration("waited", patience))
	}
	d.catalogs.close()
	d.reclaimer.Stop()
	d.audit.file.close()
	d.store.Close()
	if err := d.hub.Close(); err != nil {
		d.log.Warn("ending the file watcher", zap.Error(err))
	}
}

// await waits until done is closed, and reports whether it was before ctx ended.
func await(ctx context.Context, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}

// endsIn runs f, and reports whether it returns in time. Otherwise f goes on alone.
func endsIn(limit time.Duration, f func()) bool {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f()
	}()
	select {
	case <-ended:
		return true
	case <-time.After(limit):
		return false
	}
}
