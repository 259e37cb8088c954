// Starts a VS Code for one run of tests: a server, a browser, and a temporary folder for everything
// that they and the daemon write.

import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium, options } from './chromium.mjs';

export const extension = resolve(dirname(fileURLToPath(import.meta.url)), '..');
export const root = resolve(extension, '../..');
/** The folder with the programs of the project, by default those of `make build`. */
export const bin = join(root, process.env.BIN ?? 'bin');
const tools = join(root, '.tools/vscode');
const node = join(tools, 'node/bin/node');
const codeServer = join(tools, 'code-server/out/node/entry.js');

const settings = {
  'workbench.startupEditor': 'none',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'workbench.tips.enabled': false,
  'git.autofetch': false,
  'git.enabled': false,
  'chat.disableAIFeatures': true,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.enableExperiments': false,
};

/** Returns the command of test/tracker, with texts that mean harm when it is hostile. */
export function tracker(...args) {
  return { command: process.execPath, args: [join(extension, 'test/tracker/server.mjs'), ...args] };
}

/** Returns the command of server-everything, a real MCP server. */
export function everything() {
  return {
    command: process.execPath,
    args: [join(root, '.tools/servers/node_modules/@modelcontextprotocol/server-everything/dist/index.js')],
  };
}

/**
 * Starts an authorization server and the MCP server behind it: test/testkit/authserver, whose control
 * interface `control` asks. Call `stop` at the end; it ends with this process too.
 */
export async function authServer() {
  const server = spawn(join(bin, 'authserver'), { stdio: ['pipe', 'pipe', 'inherit'] });
  const urls = JSON.parse(await line(server.stdout, /^\{/));
  return {
    urls,
    async control(path, body, method = body ? 'POST' : 'GET') {
      const headers = { 'Content-Type': 'application/json' };
      const answer = await fetch(`${urls.control}/${path}`, { method, headers, body: body && JSON.stringify(body) });
      const text = await answer.text();
      if (!answer.ok) {
        throw new Error(`${method} ${path}: ${text}`);
      }
      return text === '' ? undefined : JSON.parse(text);
    },
    stop() {
      server.stdin.end();
      return ended(server);
    },
  };
}

/** Runs mcp-editord in a terminal of the same person. Returns what it wrote, once it has ended, and its status. */
export async function terminal(place, ...args) {
  const child = spawn(join(bin, 'mcp-editord'), args, { env: place.env, cwd: place.folder, stdio: 'pipe' });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => {
      said += part;
    });
  }
  await new Promise((done) => child.once('close', done));
  return { said, status: child.exitCode };
}

/**
 * Starts an identity provider and the MCP server behind it: test/testkit/oidcprovider. Call `stop` at the end;
 * it ends with this process too.
 */
export async function identityProvider() {
  const program = join(root, 'test/testkit/oidcprovider/provider.mjs');
  const server = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const urls = JSON.parse(await line(server.stdout, /^\{/));
  return {
    urls,
    /** Returns how often each event happened, after `change` if there is one. */
    async control(change) {
      const answer = await fetch(change ? `${urls.control}/${change}` : urls.control, {
        method: change ? 'POST' : 'GET',
      });
      return answer.json();
    },
    stop() {
      server.stdin.end();
      return ended(server);
    },
  };
}

/**
 * Makes the folder and starts VS Code in it. `servers` are those of the user's mcp.json. `workspace`
 * fills the folder of the workspace, and may return settings for it. With `tests` VS Code loads the
 * extension under development and shows no information messages; without, the extension is
 * installed. With `trust` a folder has to be trusted first. Call `stop` at the end.
 */
export async function start({
  name = 'workspace',
  servers,
  workspace,
  tests = false,
  trust = false,
  env: extra = {},
  userSettings = {},
}) {
  // Its path is as long everywhere: what fits into a question, and which part of a link is in view, depends on that.
  const dir = mkdtempSync('/tmp/mcp-editord-vscode-');
  const folder = join(dir, name);
  for (const d of [
    folder,
    join(dir, 'run'),
    join(dir, 'data/User'),
    join(dir, 'data/Machine'),
    join(dir, 'ext'),
    join(dir, 'config'),
  ]) {
    mkdirSync(d, { recursive: true, mode: 0o700 });
  }
  // The keyring is the person's own.
  const configure = (all, inputs) =>
    writeFileSync(join(dir, 'mcp.json'), JSON.stringify({ credentials: 'file', inputs, servers: all }));
  configure(servers);
  const workspaceSettings = workspace(folder) ?? {};
  // A workspace file lets folders come and go without a new extension host.
  const file = join(dir, `${name}.code-workspace`);
  writeFileSync(file, JSON.stringify({ folders: [{ path: name }], settings: workspaceSettings }));
  writeFileSync(join(dir, 'data/User/settings.json'), JSON.stringify({ ...settings, ...userSettings }));
  // A window takes the settings of the machine from here, such as paths.
  const machine = (more) =>
    writeFileSync(
      join(dir, 'data/Machine/settings.json'),
      JSON.stringify({ 'mcp-editord.path': join(bin, 'mcp-editord'), ...more }),
    );
  machine({});
  if (!tests) {
    const parts = [
      'package.json',
      'package.nls.json',
      'media',
      'language',
      'l10n',
      'dist/extension.js',
      'dist/markdown.js',
    ];
    for (const part of parts) {
      cpSync(join(extension, part), join(dir, 'ext/mcp-editord.mcp-editord-0.1.0', part), { recursive: true });
    }
  }
  cpSync(join(extension, 'test/model'), join(dir, 'ext/mcp-editord-test.model-0.0.1'), { recursive: true });

  const env = {
    ...process.env,
    ...extra,
    PATH: `${dirname(node)}:${process.env.PATH}`,
    XDG_CONFIG_HOME: join(dir, 'config'),
    XDG_DATA_HOME: join(dir, 'share'),
    XDG_CACHE_HOME: join(dir, 'cache'),
    XDG_STATE_HOME: join(dir, 'state'),
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(dir, 'bus')}`, // nobody's keyring
    XDG_RUNTIME_DIR: join(dir, 'run'), // of VS Code itself
    MCP_EDITORD_SOCKET: join(dir, 'run/daemon.sock'),
    MCP_EDITORD_CONFIG: join(dir, 'mcp.json'),
  };
  const places = ['--user-data-dir', join(dir, 'data'), '--extensions-dir', join(dir, 'ext')];
  const port = await freePort();
  const server = spawn(
    node,
    // biome-ignore format: one option a line would be twenty lines
    [codeServer, ...places, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--disable-telemetry', '--disable-update-check',
      '--disable-getting-started-override', '--disable-proxy', ...(trust ? [] : ['--disable-workspace-trust']),
      ...(tests ? ['--vscode-option', 'enable-smoke-test-driver'] : [])],
    { env, cwd: folder, stdio: ['ignore', 'pipe', 'ignore'], detached: true },
  );
  await line(server.stdout, /HTTP server listening/);
  const browser = await chromium.launchPersistentContext(join(dir, 'profile'), {
    ...options,
    viewport: { width: 1200, height: 750 },
  });
  return {
    dir,
    folder,
    file,
    tests,
    /** Adds servers to the user's own, and inputs. */
    configure: (more, inputs) => configure({ ...servers, ...more }, inputs),
    /** Changes the settings of the machine. */
    machine,
    host: `127.0.0.1:${port}`,
    browser,
    env,
    async stop() {
      await browser.close();
      process.kill(-server.pid, 'SIGKILL'); // it waits for windows that may come back
      await ended(server);
      await ended(spawn(join(bin, 'mcp-editord'), ['stop'], { env, stdio: 'ignore' }));
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    },
    logs() {
      const file = join(dir, 'state/mcp-editord/daemon.log');
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    },
  };
}

/** Returns the address of a window on the workspace file. With `tests` it runs them. */
export function address(place, tests) {
  const query = new URLSearchParams({ workspace: place.file });
  if (place.tests) {
    const remote = (path) => `vscode-remote://${place.host}${path}`;
    const payload = [['extensionDevelopmentPath', remote(extension)]];
    if (tests) {
      payload.push(['extensionTestsPath', remote(tests)]);
    }
    query.set('payload', JSON.stringify(payload));
  }
  return `http://${place.host}/?${query}`;
}

function ended(child) {
  return child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((done) => child.once('exit', done));
}

function line(stream, pattern) {
  return new Promise((done, fail) => {
    createInterface(stream)
      .on('line', (l) => pattern.test(l) && done(l))
      .on('close', () => fail(new Error('the server has ended')));
  });
}

function freePort() {
  return new Promise((done) => {
    const s = createServer().listen(0, '127.0.0.1', () => {
      const { port } = s.address();
      s.close(() => done(port));
    });
  });
}
