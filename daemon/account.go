package daemon

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/secrets"
	"github.com/mcp-editord/mcp-editord/mcpclient"
	"github.com/mcp-editord/mcp-editord/mcpclient/oauth"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// account is what the daemon has to sign in to one server: one for all connections to it, and so for all
// editors.
type account struct {
	auth *oauth.Authorizer
	flow *flow // the sign-in that is under way, nil for none; guarded by Daemon.mu
}

// takeAccount gives c the account of its definition, whose variables are put in, and returns it; nil when it has no
// use for one. Definitions share an account if they have name, file and address in common, and how they
// sign in: what is typed for one definition is never sent for another.
func (c *connection) takeAccount(def config.Definition, env map[string]string) *account {
	d := c.d
	d.mu.Lock()
	defer d.mu.Unlock() // not before c.account is set, or dropAccounts might end the account
	if !def.SignsIn() {
		c.account = nil
		return nil
	}
	endpoint, _ := url.Parse(def.URL) // which is valid: the variables are put in
	endpoint.Fragment = ""
	cfg := oauthConfig(def.OAuth)
	name, whole := accountNames(def, endpoint.Host, cfg)
	a := d.accounts[whole]
	if a == nil {
		a = &account{}
		a.auth = oauth.New(oauth.Options{
			Server: def.Name, Endpoint: endpoint, Config: cfg, Store: d.secrets, Name: name, Version: d.opts.Version,
			Proxy: proxy(env), Log: d.log.Named("oauth"), Changed: func() { d.accountChanged(a) },
		})
		d.accounts[whole] = a
	}
	c.account = a
	return a
}

// accountNames returns the name of the credentials in the store, and the whole identity of the account
// for as long as the daemon runs. Neither has the address or a secret as it is: the name is seen by whoever
// looks into the keyring.
func accountNames(def config.Definition, host string, cfg oauth.Config) (name, whole string) {
	enterprise := ""
	if cfg.Enterprise != nil {
		enterprise = cfg.Enterprise.Issuer + "\x00" + cfg.Enterprise.ClientID
	}
	id := hashOf(def.Source.URI, def.Name, def.URL, cfg.ClientID, cfg.ClientMetadataURL, cfg.Grant, enterprise)
	all, _ := json.Marshal(cfg) // texts and numbers
	return fmt.Sprintf("%s at %s %s", def.Name, host, id[:16]), id + hashOf(string(all))
}

// hashOf returns a hash of texts, in hex.
func hashOf(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:])
}

// oauthConfig returns how to sign in; o may be nil.
func oauthConfig(o *config.OAuth) oauth.Config {
	if o == nil {
		return oauth.Config{}
	}
	return oauth.Config{
		ClientID: o.ClientID, ClientSecret: o.ClientSecret, ClientMetadataURL: o.ClientMetadataURL, Issuer: o.Issuer, Scopes: o.Scopes,
		RedirectPort: o.RedirectPort, Grant: o.Grant, PrivateKeyFile: o.PrivateKeyFile, KeyID: o.KeyID,
		Enterprise: (*oauth.Enterprise)(o.Enterprise),
	}
}

// accountChanged tells the editors what an account holds now.
func (d *Daemon) accountChanged(a *account) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.conns {
		if c.account == a {
			c.show()
		}
	}
}

// secretsChanged tells the editors whether credentials are kept, and starts the servers that waited for a
// store that did not answer.
func (d *Daemon) secretsChanged() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closing {
		return
	}
	for _, c := range d.conns {
		c.show()
		if c.account != nil && c.wantsSignIn() && c.account.auth.Unread() && c.idle() && len(c.members) > 0 {
			d.begin(c, c.members[0], false)
		}
	}
}

// dropAccounts forgets the accounts that no connection has any more, and ends their sign-ins. What they
// hold stays in the store. d.mu is held.
func (d *Daemon) dropAccounts() {
	used := map[*account]bool{}
	for _, c := range d.conns {
		used[c.account] = true
	}
	for key, a := range d.accounts {
		if !used[a] {
			if a.flow != nil {
				a.flow.cancel(errUndefined)
			}
			delete(d.accounts, key)
			d.running.Go(func() { a.auth.Close(d.ctx) }) // which waits for what is being renewed
		}
	}
}

// closeAccounts ends all accounts. What is being renewed gets some time to be in the store.
func (d *Daemon) closeAccounts() {
	ctx, cancel := context.WithTimeout(context.Background(), secretsPatience)
	defer cancel()
	d.mu.Lock()
	accounts := slices.Collect(maps.Values(d.accounts))
	d.mu.Unlock()
	var closing sync.WaitGroup
	for _, a := range accounts {
		closing.Go(func() { a.auth.Close(ctx) })
	}
	closing.Wait()
}

// describeAccount fills in what an editor is told of signing in. d.mu is held.
func (c *connection) describeAccount(v *editorapi.Server) {
	if c.account == nil {
		return
	}
	if f := c.account.flow; f != nil {
		v.SignIn = f.shown
	}
	s := c.account.auth.State()
	if s.Issuer == "" {
		return
	}
	v.SignedIn = &editorapi.SignedIn{Issuer: s.Issuer, Scopes: s.Scopes, Wanted: s.Wanted, Kept: c.d.kept()}
	if problem := c.d.secrets.Problem(); problem != "" {
		v.Problems = append(v.Problems[:len(v.Problems):len(v.Problems)], problem)
	}
}

// kept returns where credentials are kept.
func (d *Daemon) kept() editorapi.SignedInKept {
	if d.secrets.Forgets() {
		return editorapi.KeptInMemory
	}
	return editorapi.SignedInKept(cmp.Or(d.store.User().Credentials, secrets.Keyring))
}

// is reports whether the server is in a state.
func (c *connection) is(state mcpclient.State) bool {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	return c.status.State == state
}

// wantsSignIn reports whether the server waits for somebody to sign in. d.mu is held.
func (c *connection) wantsSignIn() bool {
	return c.status.State == mcpclient.StateFailed && c.status.Err != nil && c.status.Err.Kind == wire.KindSignInNeeded
}
