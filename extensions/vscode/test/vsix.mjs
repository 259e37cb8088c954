// Installs the extension into a real VS Code as a person does, by `mcp-editord install vscode`, and
// checks that it runs there with the mcp-editord inside it.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Window } from './browser/window.mjs';
import { bin, extension, root, start } from './harness.mjs';

const artifacts = join(extension, 'dist/test');

// Every window loads the first; only a page with Markdown loads the second.
for (const [name, limit] of [
  ['extension', 600_000],
  ['markdown', 80_000],
]) {
  const { size } = statSync(join(extension, `dist/${name}.js`));
  assert.ok(size <= limit, `dist/${name}.js has ${size} bytes: it may have ${limit}`);
}

const place = await start({ servers: { workspace: {} }, workspace() {}, tests: true });
const w = new Window(place.browser.pages()[0], artifacts);

/** The command line of this VS Code. */
const code = join(place.dir, 'code');
const tools = join(root, '.tools/vscode');
const words = [
  join(tools, 'node/bin/node'),
  join(tools, 'code-server/out/node/entry.js'),
  '--user-data-dir',
  join(place.dir, 'data'),
  '--extensions-dir',
  join(place.dir, 'ext'),
];
writeFileSync(code, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')} "$@"\n`, { mode: 0o755 });

/** Runs mcp-editord install vscode, and returns what it did. */
async function install(...args) {
  const all = ['install', 'vscode', '--code', code, '--json', ...args];
  const { stdout } = await promisify(execFile)(join(bin, 'mcp-editord'), all, { env: place.env });
  return JSON.parse(stdout).action;
}

/** The files of the package that are in extensions/vscode, too. */
const files = [
  'README.md',
  'dist/NOTICES.txt',
  'dist/extension.js',
  'dist/markdown.js',
  'l10n/bundle.l10n.de.json',
  'l10n/bundle.l10n.json',
  ...['language', 'media'].flatMap((folder) => readdirSync(join(extension, folder)).map((name) => `${folder}/${name}`)),
  'package.json',
  'package.nls.de.json',
  'package.nls.json',
].sort();

/** Returns the folders of the installed extension. */
const installed = () =>
  readdirSync(join(place.dir, 'ext')).filter((name) => name.startsWith('mcp-editord.mcp-editord-'));

const steps = {
  // With `vsce package`.
  async 'packaged by hand it has its files and no others'() {
    const { stdout } = await promisify(execFile)(
      join(extension, 'node_modules/.bin/vsce'),
      ['ls', '--no-dependencies'],
      {
        cwd: extension,
      },
    );
    assert.deepEqual(stdout.trim().split('\n').sort(), files);
  },
  async 'it is installed'() {
    assert.equal(await install(), 'installed');
    assert.equal(installed().length, 1);
  },
  'it has its files and no others'() {
    const folder = join(place.dir, 'ext', installed()[0]);
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((e) => e.isFile());
    const names = entries.map((e) => join(e.parentPath, e.name).slice(folder.length + 1));
    // vsce renames the first three; VS Code keeps the manifest.
    const more = ['readme.md', 'changelog.md', 'LICENSE.txt', '.vsixmanifest', 'bin/mcp-editord'];
    assert.deepEqual(names.sort(), [...files.filter((name) => name !== 'README.md'), ...more].sort());
  },
  'it has a version that the Marketplace takes, and says from which mcp-editord it is'() {
    const { version, build } = JSON.parse(readFileSync(join(place.dir, 'ext', installed()[0], 'package.json'), 'utf8'));
    assert.match(version, /^\d+\.\d+\.\d+$/);
    assert.equal(build, readFileSync(join(extension, 'dist/.version'), 'utf8').trim());
  },
  async 'it is active, with the mcp-editord that came with it'() {
    // Nothing else leads to one.
    writeFileSync(join(place.dir, 'data/Machine/settings.json'), '{}');
    await w.page.goto(`http://${place.host}/?${new URLSearchParams({ workspace: place.file })}`);
    await w.status.getByText('Editord 1').waitFor();
    const said = `${installed()[0]}/bin/mcp-editord: it came with the extension`;
    await w.palette('Editord: Show Log', () => w.output(said));
  },
  async 'a second time it is replaced'() {
    assert.equal(await install(), 'replaced');
  },
  async 'it goes, and is gone'() {
    assert.equal(await install('--uninstall'), 'removed');
    assert.equal(await install('--uninstall'), 'absent');
  },
};

try {
  for (const [name, step] of Object.entries(steps)) {
    const began = performance.now();
    await step();
    console.log(`ok ${Math.round(performance.now() - began)} ms  ${name}`);
  }
} catch (error) {
  console.error(error);
  process.exitCode = 1;
  await w.page.screenshot({ path: join(artifacts, 'vsix.png') });
  console.error('see dist/test/vsix.png');
} finally {
  await place.stop();
}
