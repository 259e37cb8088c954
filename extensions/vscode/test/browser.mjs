// Uses the extension as a person does, in a browser, with the real daemon and real servers, and
// asserts what is on the screen. The steps build on each other. Pass a folder to put the pictures
// of the guide there. PARTS=trust,servers runs these parts only.

import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agents } from './browser/agents.mjs';
import { calls } from './browser/calls.mjs';
import { chat } from './browser/chat.mjs';
import { configuration } from './browser/configuration.mjs';
import { errors } from './browser/errors.mjs';
import { failure } from './browser/failure.mjs';
import { forms } from './browser/forms.mjs';
import { hostile } from './browser/hostile.mjs';
import { identity } from './browser/identity.mjs';
import { questions } from './browser/questions.mjs';
import { registry } from './browser/registry.mjs';
import { reload } from './browser/reload.mjs';
import { results } from './browser/results.mjs';
import { servers } from './browser/servers.mjs';
import { share } from './browser/share.mjs';
import { signin } from './browser/signin.mjs';
import { tools } from './browser/tools.mjs';
import { trap } from './browser/trap.mjs';
import { folder, trust } from './browser/trust.mjs';
import { typed } from './browser/typed.mjs';
import { Window } from './browser/window.mjs';
import { address, extension, start, tracker } from './harness.mjs';

const artifacts = join(extension, 'dist/test');

const readme = `# Weather station

Collects readings at sea and uploads them when there is a connection.

Uploads on ship 7 stop after the first lost connection.
`;

const source = `import { connect } from './satellite';
import type { Reading } from './sensors';

/** Sends the readings that were collected since the last contact. */
export async function upload(readings: Reading[]): Promise<void> {
  const link = await connect();
  for (const reading of readings) {
    await link.send(JSON.stringify(reading));
  }
  await link.close();
}
`;

const parts = {
  trust,
  tools,
  errors,
  results,
  reload,
  configuration,
  calls,
  questions,
  agents,
  signin,
  identity,
  hostile,
  typed,
  forms,
  failure,
  share,
  chat,
  servers,
  folder,
};
const only = process.env.PARTS?.split(',');

const traps = await trap();
const published = await registry();
const place = await start({
  name: 'weather-station',
  trust: true,
  servers: { tracker: tracker() },
  env: { TRAP: traps.address, MCP_EDITORD_REGISTRY: published.address },
  workspace(folder) {
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'README.md'), readme);
    writeFileSync(join(folder, 'issues.mcp'), '# Issues of the ship\n');
    writeFileSync(join(folder, 'src/upload.ts'), source);
    cpSync(join(extension, 'test/tracker'), join(folder, 'tools/deploy'), { recursive: true });
    const args = ['tools/deploy/server.mjs', '--environment', 'staging area'];
    const deploy = { command: 'node', args, env: { REGION: 'north' } };
    writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { deploy } }));
    // A workspace has no say in what is run, nor in which servers the window brings.
    const evil = join(folder, 'tools/evil');
    writeFileSync(evil, '#!/bin/sh\ntouch "$(dirname "$0")/../marker"\nexit 1\n');
    chmodSync(evil, 0o755);
    const settings = { 'mcp-editord.path': evil, 'mcp-editord.servers': { mine: { command: evil } } };
    mkdirSync(join(folder, '.vscode'));
    writeFileSync(join(folder, '.vscode/settings.json'), JSON.stringify(settings));
    return settings;
  },
  userSettings: {
    'security.workspace.trust.startupPrompt': 'never',
    'security.workspace.trust.banner': 'never',
    'workbench.colorTheme': 'Default Dark Modern',
    'workbench.editor.useModal': 'off',
    'window.commandCenter': false,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of VS Code
    'window.title': '${activeEditorShort} — ${rootName}',
    'remote.autoForwardPorts': false,
    'editor.autoClosingBrackets': 'never',
    'editor.autoClosingQuotes': 'never',
  },
});
const w = new Window(place.browser.pages()[0], process.argv[2] ?? artifacts);
try {
  await w.page.goto(address(place), { waitUntil: 'domcontentloaded' });
  for (const part of Object.keys(parts).filter((name) => only?.includes(name) ?? true)) {
    for (const [name, step] of Object.entries(parts[part])) {
      const began = performance.now();
      try {
        await step({ w, place, traps, published });
      } catch (error) {
        throw new Error(`FAIL ${name}`, { cause: error });
      }
      console.log(`ok ${Math.round(performance.now() - began)} ms  ${name}`);
    }
  }
} catch (error) {
  console.log(error);
  process.exitCode = 1;
  await w.page.screenshot({ path: join(artifacts, 'browser.png') });
  writeFileSync(join(artifacts, 'daemon.log'), place.logs());
  console.error('see dist/test/browser.png and dist/test/daemon.log');
} finally {
  await place.stop();
  traps.close();
  published.close();
}
