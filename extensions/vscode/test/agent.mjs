// An agent in the folder of a window: it speaks MCP to `mcp-editord mcp`, and can answer no questions.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bin } from './harness.mjs';

/** How long an agent waits for anything, in milliseconds. */
const patience = 120_000;

export class Agent {
  constructor(place) {
    this.waiting = new Map();
    this.last = 0;
    this.changes = 0; // how often the tools have changed
    this.onChange = () => {};
    this.child = spawn(join(bin, 'mcp-editord'), ['mcp', '--folder', place.folder], {
      env: place.env,
      cwd: place.dir,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    place.browser.once('close', () => this.child.kill()); // so that it does not outlive a test that fails
    createInterface(this.child.stdout).on('line', (line) => this.receive(JSON.parse(line)));
  }

  /** Starts an agent of this name in the folder of the window. Call `stop` at the end. */
  static async start(place, name) {
    const agent = new Agent(place);
    const clientInfo = { name, version: '1.0.0' };
    await agent.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }).answer;
    agent.send({ method: 'notifications/initialized' });
    return agent;
  }

  receive({ id, method, result, error }) {
    if (method === 'notifications/tools/list_changed') {
      this.changes++;
      this.onChange();
    } else if (method === undefined) {
      this.waiting.get(id)?.(result ?? { error });
    }
  }

  send(message) {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Sends a request. Its answer is the result, or { error }. */
  request(method, params = {}) {
    const id = ++this.last;
    const answered = new Promise((done) => this.waiting.set(id, done));
    this.send({ id, method, params });
    return {
      answer: within(`an answer to ${method}`, answered),
      cancel: () => {
        this.send({ method: 'notifications/cancelled', params: { requestId: id } });
        this.waiting.get(id)({ error: { message: 'cancelled' } });
      },
    };
  }

  /** Calls a tool. Its answer is the text of the result or of the error. */
  call(name, values = {}) {
    const { answer, cancel } = this.request('tools/call', { name, arguments: values });
    return { answer: answer.then((r) => r.error?.message ?? r.content.map((c) => c.text).join('')), cancel };
  }

  /** Lists the tools, anew whenever it is told that they have changed, until they are as wanted. */
  async tools(wanted = () => true) {
    for (;;) {
      const { changes } = this;
      const { tools } = await this.request('tools/list').answer;
      if (wanted(new Map(tools.map((tool) => [tool.name, tool])))) {
        return;
      }
      if (changes === this.changes) {
        await within('a change of the tools', new Promise((done) => (this.onChange = done)));
      }
    }
  }

  stop() {
    this.child.stdin.end();
    return new Promise((done) => this.child.once('exit', done));
  }
}

/** Fails when what is waited for does not come. */
function within(what, promise) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`the agent waited in vain for ${what}`)), patience);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
