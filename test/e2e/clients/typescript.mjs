// An agent that does all that a client of MCP's TypeScript SDK can do, on the command it is given:
//
//   node typescript.mjs '{"kind", "modules", "everything", "fake", "folders", "record"}' COMMAND ARGS…
//
// everything and fake are what the names of the tools of server-everything and of the fake server begin
// with; null where the server is not there. record is what the fake server has got. It ends with an exception when something is not as it should be.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { connect } from './sdk.mjs';

const { kind, modules, everything, fake, folders, record } = JSON.parse(process.argv[2]);
const [command, ...args] = process.argv.slice(3);

let roots = [folders[0]];
const asked = [];
const logged = [];
const updated = [];
let changes = 0;

const { client, era, callTool, callAsTask } = await connect(kind, modules, command, args, {
  'roots/list': () => ({ roots: roots.map((folder) => ({ uri: pathToFileURL(folder).href, name: 'root' })) }),
  'sampling/createMessage': (params) => {
    asked.push(params);
    return { role: 'assistant', model: 'stub', content: { type: 'text', text: 'the answer of the model' } };
  },
  'elicitation/create': (params) => {
    asked.push(params);
    return { action: 'accept', content: { name: 'Ada', word: 'plum' } };
  },
}, {
  'notifications/message': (params) => {
    if (params.logger === 'tests') logged.push(params); // server-everything writes by itself
  },
  'notifications/resources/updated': (params) => updated.push(params.uri),
  'notifications/tools/list_changed': () => changes++,
});
assert.equal(era, kind === 'v2-auto' || kind === 'v2-modern' ? 'modern' : 'legacy');

/** Waits until something is so. The test that runs this program ends what hangs. */
async function until(what, holds) {
  process.stderr.write(`waiting until ${what}\n`);
  while (!await holds()) await pause(10);
}

const textOf = (result) => result.content.filter((c) => c.type === 'text').map((c) => c.text).join('');
const call = async (prefix, name, arguments_ = {}) => callTool({ name: prefix + name, arguments: arguments_ });

async function withEverything(prefix) {
  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  assert.ok(names.includes(`${prefix}echo`), `${names}`);
  // What depends on what the agent can answer is there.
  assert.ok(names.includes(`${prefix}trigger-sampling-request`) && names.includes(`${prefix}trigger-elicitation-request`), `${names}`);
  const echo = tools.find((tool) => tool.name === `${prefix}echo`);
  assert.equal(echo.annotations.readOnlyHint, true);
  assert.equal(echo.title, 'Echo Tool');

  // The SDK validates structuredContent against the outputSchema it got.
  assert.ok(tools.find((tool) => tool.name === `${prefix}get-structured-content`).outputSchema);
  const weather = await call(prefix, 'get-structured-content', { location: 'New York' });
  assert.equal(typeof weather.structuredContent.temperature, 'number');

  // Progress, which the SDK takes as a sign of life.
  const progress = [];
  const long = await callTool({ name: `${prefix}trigger-long-running-operation`, arguments: { duration: 0.4, steps: 4 } },
    { onprogress: (p) => progress.push(p), resetTimeoutOnProgress: true });
  assert.match(textOf(long), /completed/);
  // What comes just before the result is lost in the SDK, and that of 2.x adds its own, without a total, when it is asked.
  const steps = progress.filter((p) => p.total).map((p) => p.progress);
  assert.ok(steps.length >= 1, JSON.stringify(progress));
  assert.deepEqual(steps, [1, 2, 3, 4].slice(0, steps.length));

  // A call that is given up ends, and the next one works.
  const giveUp = new AbortController();
  await assert.rejects(callTool({ name: `${prefix}trigger-long-running-operation`, arguments: { duration: 1000, steps: 100_000 } },
    { signal: giveUp.signal, onprogress: () => giveUp.abort('enough'), timeout: 600_000 }));
  assert.equal(textOf(await call(prefix, 'echo', { message: 'hi' })), 'Echo: hi');

  const { prompts } = await client.listPrompts();
  assert.ok(prompts.some((prompt) => prompt.name === `${prefix}completable-prompt`));
  const prompt = await client.getPrompt({ name: `${prefix}args-prompt`, arguments: { city: 'Bern' } });
  assert.match(JSON.stringify(prompt.messages), /Bern/);
  const completed = await client.complete({
    ref: { type: 'ref/prompt', name: `${prefix}completable-prompt` },
    argument: { name: 'name', value: 'E' }, context: { arguments: { department: 'Sales' } },
  });
  assert.deepEqual(completed.completion.values, ['Eve']);

  const { resources } = await client.listResources();
  const document = resources.find((resource) => resource.uri.startsWith('demo://resource/static/document/'));
  const read = await client.readResource({ uri: document.uri });
  assert.equal(read.contents[0].uri, document.uri);
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.ok(resourceTemplates.some((template) => template.uriTemplate === 'demo://resource/dynamic/text/{resourceId}'));
  const dynamic = await client.readResource({ uri: 'demo://resource/dynamic/text/7' });
  assert.match(dynamic.contents[0].text, /7/);
  const ids = await client.complete({ ref: { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' }, argument: { name: 'resourceId', value: '7' } });
  assert.deepEqual(ids.completion.values, ['7']);

  const sampled = await call(prefix, 'trigger-sampling-request', { prompt: 'Say it' });
  assert.match(textOf(sampled), /the answer of the model/);
  const elicited = await call(prefix, 'trigger-elicitation-request');
  assert.match(textOf(elicited), /Ada/);
  assert.equal(asked.length, 2);

  if (kind === 'v1' && prefix === '') {
    const seen = await callAsTask({ name: 'simulate-research-query', arguments: { topic: 'tea' } });
    assert.equal(seen[0].type, 'taskCreated', JSON.stringify(seen));
    assert.equal(seen.at(-1).type, 'result', JSON.stringify(seen));
    assert.match(textOf(seen.at(-1).result), /Research Report: tea/);
  }
}

async function withFake(prefix) {
  await client.listTools();

  // Unknown members come through the SDK, in both directions.
  const echoed = await callTool({ name: `${prefix}echo`, arguments: { n: 1.5, deep: [{ x: null }] }, _meta: { 'example.com/mine': 7 }, 'x-mine': true });
  const params = echoed.structuredContent.params;
  assert.deepEqual(params.arguments, { n: 1.5, deep: [{ x: null }] });
  assert.equal(params._meta['example.com/mine'], 7);
  assert.equal(params['x-mine'], true);
  assert.equal(params.name, 'echo');
  const raw = await call(prefix, 'raw', { lines: ['{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"x-theirs":{"y":null},"_meta":{"example.com/theirs":[1]}}}'] });
  assert.deepEqual(raw._meta['example.com/theirs'], [1]);
  assert.deepEqual(raw['x-theirs'], { y: null });

  // The server hears that the call was given up.
  const giveUp = new AbortController();
  const heardOf = (text) => readFileSync(record, 'utf8').split(text).length - 1;
  const [hung, told] = [heardOf('"name":"hang"'), heardOf('notifications/cancelled')];
  const hanging = assert.rejects(callTool({ name: `${prefix}hang`, arguments: {} }, { signal: giveUp.signal }));
  await until('the server has the call', () => heardOf('"name":"hang"') > hung);
  giveUp.abort('enough');
  await hanging;
  await until('the server heard that it was given up', () => heardOf('notifications/cancelled') > told);

  const message = { level: 'warning', logger: 'tests', data: { word: 'pear' }, 'x-mine': 1 };
  if (era === 'legacy') {
    await client.ping();
    await client.setLoggingLevel('warning');
    await call(prefix, 'notify', { method: 'notifications/message', params: { level: 'info', logger: 'tests', data: 'too quiet' } });
    await call(prefix, 'notify', { method: 'notifications/message', params: message });
    await client.subscribeResource({ uri: 'fake://one' });
  } else {
    await callTool({ name: `${prefix}notify`, arguments: { method: 'notifications/message', params: message }, _meta: { 'io.modelcontextprotocol/logLevel': 'warning' } });
  }
  await until('the message has come', () => logged.length > 0);
  assert.deepEqual(logged.map((m) => m.data), [{ word: 'pear' }]);

  const listening = era === 'modern' ? await client.listen({ resourceSubscriptions: ['fake://one'] }) : null;
  await call(prefix, 'notify', { method: 'notifications/resources/updated', params: { uri: 'fake://one' } });
  await until('the resource was updated', () => updated.includes('fake://one'));
  if (era === 'legacy') await client.unsubscribeResource({ uri: 'fake://one' });
  else await listening.close();

  const before = changes;
  await call(prefix, 'change', { kind: 'tools', add: [{ name: `new-${kind}${prefix}`, inputSchema: { type: 'object' } }] });
  await until('the agent heard of the tool', () => changes > before);
  // The change that it heard of may have been an earlier one.
  const fresh = `${prefix}new-${kind}`.slice(0, 12);
  await until('the tool is listed', async () => (await client.listTools()).tools.some((tool) => tool.name.startsWith(fresh)));

  // Errors come with their code and data.
  await assert.rejects(call(prefix, 'refuse', { code: -32042, message: 'Visit it', data: { elicitations: [{ mode: 'url', elicitationId: 'e1', url: 'https://example.com/', message: 'm' }] } }),
    (e) => {
      if (era === 'legacy') {
        assert.equal(e.code, -32042);
        assert.equal((e.data ?? e).elicitations[0].elicitationId, 'e1');
      }
      return true;
    });

  const rootsOfServer = async () => (await call(prefix, 'ask_roots')).structuredContent.answer.result?.roots.map((root) => root.uri);
  await until('the server has the first root', async () => `${await rootsOfServer()}` === pathToFileURL(folders[0]).href);
  // A server that is initialized once has the roots of all who share it. An agent of 2026-07-28 says its
  // own with each request, and only to servers that ask in their results.
  if (era === 'modern') return;
  roots = [folders[1]];
  await client.sendRootsListChanged();
  await until('the server has the second root', async () => `${await rootsOfServer()}` === pathToFileURL(folders[1]).href);
}

if (everything !== null) await withEverything(everything);
if (fake !== null) await withFake(fake);
await client.close();
