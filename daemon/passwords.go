package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/internal/secrets"
)

// secretsPatience is how long a start waits for a password that is kept, and for one to be kept.
const secretsPatience = 5 * time.Second

// passwords returns the inputs of def that are passwords. d.mu is held.
func (e *editor) passwords(def config.Definition) []config.Input {
	return slices.DeleteFunc(e.inputsOf(def), func(in config.Input) bool { return !in.Password })
}

// boundTo returns the digest of the definition that an input is bound to, "" for none. A password of a
// workspace file is bound to the definition that it was typed for: another one, though it is in the same
// file, might send it elsewhere.
func boundTo(def config.Definition, in config.Input) string {
	if in.Password && !def.Source.Trusted {
		return def.Digest
	}
	return ""
}

// passwordName names a password in the store.
func passwordName(def config.Definition, in config.Input) string {
	return fmt.Sprintf("input %.100q %s", in.ID, hashOf(in.Source.URI, in.ID, boundTo(def, in))[:16])
}

// keptPassword returns a password that was typed for def before, in this daemon or an earlier one.
func (d *Daemon) keptPassword(ctx context.Context, def config.Definition, in config.Input) (value string, ok bool) {
	name := passwordName(def, in)
	if !d.secrets.Known(name) {
		return "", false
	}
	ctx, cancel := context.WithTimeout(ctx, secretsPatience)
	defer cancel()
	kept, err := d.secrets.Get(ctx, name)
	if err != nil && !errors.Is(err, secrets.ErrNotFound) {
		d.log.Info("a password is asked for, because the store does not answer", zap.String("server", def.Name), zap.Error(err))
	}
	return string(kept), err == nil
}

// keepPassword keeps a password that was typed for def.
func (d *Daemon) keepPassword(ctx context.Context, def config.Definition, in config.Input, value string) {
	ctx, cancel := context.WithTimeout(ctx, secretsPatience)
	defer cancel()
	name := passwordName(def, in)
	unlock, err := d.secrets.Lock(ctx, name)
	if err == nil {
		err = d.secrets.Set(ctx, name, []byte(value))
		unlock()
	}
	if err != nil {
		d.log.Info("a password is kept in memory only", zap.String("server", def.Name), zap.Error(err))
	}
}

// forgetPasswords forgets passwords that were typed for def: the next start asks for them.
func (d *Daemon) forgetPasswords(ctx context.Context, def config.Definition, passwords []config.Input) error {
	var failed error
	for _, in := range passwords {
		name := passwordName(def, in)
		d.mu.Lock()
		delete(d.inputs, keyOf(def, in))
		d.mu.Unlock()
		if !d.secrets.Known(name) {
			continue
		}
		if err := d.secrets.Delete(ctx, name); !errors.Is(err, secrets.ErrNoKeyring) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// forgetRefused forgets the passwords for a server that refuses them, or it would refuse them for ever.
func (c *connection) forgetRefused() {
	c.d.mu.Lock()
	def := c.def
	var passwords []config.Input
	if len(c.members) > 0 {
		passwords = c.members[0].passwords(def)
	}
	c.d.mu.Unlock()
	ctx, cancel := context.WithTimeout(c.d.ctx, secretsPatience)
	defer cancel()
	if err := c.d.forgetPasswords(ctx, def, passwords); err != nil {
		c.log.Warn("a password that the server refuses may still be kept", zap.Error(err))
	}
}
