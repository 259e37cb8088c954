// Runs the tests of test/window in a real extension host, with the real daemon and real servers, and
// exits with their status.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { address, bin, everything, extension, start, tracker } from './harness.mjs';

const limit = 900_000; // ms, for a machine several times slower than most

const place = await start({
  tests: true,
  servers: { everything: everything(), tracker: tracker(), fake: { command: join(bin, 'fakeserver') } },
  workspace(folder) {
    mkdirSync(join(folder, 'docs'));
    writeFileSync(join(folder, 'docs/notes.md'), '# Notes\n\nsome words to select\n');
    mkdirSync(join(folder, '../more'));
    writeFileSync(
      join(folder, '.mcp.json'),
      JSON.stringify({
        mcpServers: { project: { command: join(bin, 'fakeserver'), args: ['--from', 'the project'] } },
      }),
    );
  },
});
let status = 1;
try {
  let finish;
  const finished = new Promise((done) => {
    finish = done;
  });
  // The workbench on the web looks for these two in its window.
  await place.browser.exposeFunction('codeAutomationExit', (code) => finish(code));
  await place.browser.exposeFunction('codeAutomationLog', (_, args) => {
    const text = args.map(String).join(' ');
    if (text.startsWith('harness: open a second window')) {
      void place.browser.newPage().then((page) => page.goto(address(place), { waitUntil: 'domcontentloaded' }));
    } else if (text.startsWith('test: ') || process.env.VERBOSE) {
      console.log(text.replace(/^test: /, ''));
    }
  });
  const page = place.browser.pages()[0] ?? (await place.browser.newPage());
  await page.goto(address(place, join(extension, 'dist/test/window.js')), { waitUntil: 'domcontentloaded' });
  const timer = setTimeout(() => finish(124), limit);
  status = await finished;
  clearTimeout(timer);
  if (status !== 0) {
    await page.screenshot({ path: join(extension, 'dist/test/window.png') });
    writeFileSync(join(extension, 'dist/test/daemon.log'), place.logs());
    console.error(`the tests in the window ended with ${status}; see dist/test/window.png and dist/test/daemon.log`);
  }
} finally {
  await place.stop();
}
process.exitCode = status;
