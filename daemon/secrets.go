package daemon

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
		if c.account == nil || !c.wantsSignIn() || !c.account.auth.Unread() || !c.idle() || len(c.members) == 0 {
			continue
		}
		member := c.members[0]
		d.running.Go(func() { d.start(c, member, false) })
	}
}
