// The Chromium of the tests. It finds no host but this machine.

import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export { chromium } from 'playwright-core';

/** How it is started. */
export const options = {
  executablePath: resolve(dirname(fileURLToPath(import.meta.url)), '../../../.tools/vscode/browser'),
  headless: true,
  // biome-ignore format: one option a line would be ten lines
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
};
