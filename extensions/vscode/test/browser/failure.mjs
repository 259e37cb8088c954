// A daemon that does not stay.

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const failure = {
  async 'a connection that keeps ending is given up, with the log at hand'({ w, place }) {
    const broken = join(place.dir, 'broken');
    writeFileSync(broken, '#!/bin/sh\necho "no room for a socket" >&2\nexit 1\n');
    chmodSync(broken, 0o755);
    place.machine({ 'mcp-editord.path': broken });
    const toast = w.toast('The connection to mcp-editord ended five times in three minutes: no room for a socket');
    await toast.waitFor();
    await w.page.getByText('mcp-editord is not connected.').waitFor(); // in the place of the tree
    await toast.getByRole('button', { name: 'Show Log' }).click();
    await w.output('no room for a socket');
  },

  async 'the next setting connects again'({ w, place }) {
    place.machine({});
    await w.node('tracker, ready').waitFor();
  },
};
