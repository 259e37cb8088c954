// Measures what the extension costs in a real VS Code: the part of `make bench` that needs a window.
// Windows with and without it take turns, so that whatever else the machine does slows both.

import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { extension, start } from './test/harness.mjs';

const rounds = 5;
/** An extension host is at rest when it uses the processor for less than a twentieth of this time. */
const rest = { time: 1500 /* ms */, used: 7 /* hundredths of a second */ };
const limit = 60_000; // ms

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const kB = (file) => `${(statSync(join(extension, file)).size / 1000).toFixed(0)} kB`;
const MB = (kilobytes) => `${(kilobytes / 1000).toFixed(1)} MB`;

/** Opens a VS Code, with the extension or without it. */
async function open(name) {
  const place = await start({ name, servers: { workspace: {} }, workspace() {} });
  for (const folder of readdirSync(join(place.dir, 'ext'))) {
    if (name === 'without' && folder.startsWith('mcp-editord.mcp-editord-')) {
      rmSync(join(place.dir, 'ext', folder), { recursive: true });
    }
  }
  return { place, name, memory: [], attach: [], activation: [], yardstick: [] };
}

/** Returns the processes of a place with this in their command line. */
function processes({ dir }, part) {
  return readdirSync('/proc').filter((pid) => {
    try {
      const [command, environment] = ['cmdline', 'environ'].map((f) => readFileSync(join('/proc', pid, f), 'latin1'));
      return command.includes(part) && environment.includes(`MCP_EDITORD_SOCKET=${dir}/`);
    } catch {
      return false; // no process, or one that has just ended
    }
  });
}

/** Returns the resident memory of a process, in kB. */
function resident(pid) {
  return Number(/^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
}

/** Waits until a process has hardly anything to do. */
async function settled(pid) {
  // The time in user and in kernel mode, in hundredths of a second (proc_pid_stat(5)).
  const used = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /, '').split(' ');
    return Number(fields[11]) + Number(fields[12]);
  };
  const end = performance.now() + limit;
  for (let before = used(); ; before = used()) {
    await sleep(rest.time);
    if (used() - before <= rest.used) {
      return;
    }
    if (performance.now() > end) {
      throw new Error(`the extension host does not come to rest within ${limit} ms`);
    }
  }
}

/** Opens a window, and measures it once everything in it has started. */
async function round({ place, name, memory, attach, activation, yardstick }) {
  const page = place.browser.pages()[0];
  page.setDefaultTimeout(limit);
  await page.setViewportSize({ width: 1200, height: 3000 }); // VS Code only makes rows that are seen
  await page.goto(`http://${place.host}/?${new URLSearchParams({ workspace: place.file })}`);
  if (name === 'with') {
    await page.locator('[id$="mcp-editord.status"]').getByText('MCP 1').waitFor();
  } else {
    await page.locator('.statusbar-item').first().waitFor();
  }
  if (process.platform === 'linux') {
    const [pid] = await appears(() => processes(place, '--type=extensionHost'));
    await settled(pid);
    memory.push(resident(pid));
    attach.push(...processes(place, 'mcp-editord\0attach').map(resident));
  }
  if (name === 'with') {
    await page.keyboard.press('F1');
    await page.locator('.quick-input-widget input[type=text]').fill('>Developer: Show Running Extensions');
    await page.locator('.quick-input-list .monaco-list-row').first().click();
    const rows = page.locator('.runtime-extensions-editor .monaco-list-row');
    const figure = async (extension) => {
      const row = rows.filter({ has: page.locator('.name').getByText(extension, { exact: true }) });
      return Number(/(\d+) ?ms/.exec(await row.locator('.activation-time').innerText())[1]);
    };
    activation.push(await figure('MCP Editor Daemon'));
    yardstick.push(await figure('GitHub'));
  }
  // The server keeps an extension host for a window that may come back.
  await page.goto('about:blank');
  for (const old of process.platform === 'linux' ? processes(place, '--type=extensionHost') : []) {
    process.kill(Number(old), 'SIGKILL');
  }
}

async function appears(look) {
  for (const end = performance.now() + limit; performance.now() < end; await sleep(100)) {
    const found = look();
    if (found.length > 0) {
      return found;
    }
  }
  throw new Error('there is no extension host');
}

const ways = [];
try {
  ways.push(await open('without'));
  ways.push(await open('with'));
  for (let i = 0; i < rounds; i++) {
    for (const way of ways) {
      await round(way);
    }
  }
  const [without, extended] = ways;
  console.log(`VS Code: bundle ${kB('dist/extension.js')}, package without mcp-editord ${kB('dist/mcp-editord.vsix')}`);
  const [own, other] = [median(extended.activation), median(extended.yardstick)];
  const compared = `${(own / other).toFixed(2)}x that of GitHub, which comes with VS Code`;
  console.log(`VS Code: activation ${own} ms by its own figure, ${compared}`);
  if (process.platform === 'linux') {
    const [a, b] = [median(without.memory), median(extended.memory)];
    const difference = `${MB(b - a)} more, ${(b / a).toFixed(2)}x`;
    console.log(
      `VS Code: memory of the extension host ${MB(a)} without the extension, ${MB(b)} with it: ${difference}`,
    );
    console.log(`VS Code: memory of mcp-editord attach ${MB(median(extended.attach))}`);
  } else {
    console.log('VS Code: memory is measured on Linux only');
  }
} finally {
  for (const { place } of ways) {
    await place.stop();
  }
}
