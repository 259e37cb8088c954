// The two generations of MCP's TypeScript SDK behind one shape, so that one program is every client.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const load = (modules, ...path) => import(pathToFileURL(join(modules, '@modelcontextprotocol', ...path)).href);

const info = { name: 'typescript', version: '1' };
const capabilities = { roots: { listChanged: true }, sampling: {}, elicitation: { form: {} } };

/**
 * Connects a client to a command.
 * @param {'v1' | 'v2' | 'v2-auto' | 'v2-modern'} kind which SDK, and whether it asks for 2026-07-28
 * @param {Record<string, (params: object) => object>} answers to requests of servers, by method
 * @param {Record<string, (params: object) => void>} heard notifications of servers, by method
 */
export async function connect(kind, modules, command, args, answers, heard) {
  return kind === 'v1' ? v1(modules, command, args, answers, heard) : v2(kind, modules, command, args, answers, heard);
}

async function v1(modules, command, args, answers, heard) {
  const { Client } = await load(modules, 'sdk/dist/esm/client/index.js');
  const { StdioClientTransport } = await load(modules, 'sdk/dist/esm/client/stdio.js');
  const types = await load(modules, 'sdk/dist/esm/types.js');
  const client = new Client(info, { capabilities });
  const requests = {
    'roots/list': types.ListRootsRequestSchema,
    'sampling/createMessage': types.CreateMessageRequestSchema,
    'elicitation/create': types.ElicitRequestSchema,
  };
  const notifications = {
    'notifications/message': types.LoggingMessageNotificationSchema,
    'notifications/resources/updated': types.ResourceUpdatedNotificationSchema,
    'notifications/tools/list_changed': types.ToolListChangedNotificationSchema,
  };
  for (const [method, answer] of Object.entries(answers)) client.setRequestHandler(requests[method], ({ params }) => answer(params));
  for (const [method, hear] of Object.entries(heard)) client.setNotificationHandler(notifications[method], ({ params }) => hear(params));
  const transport = new StdioClientTransport({ command, args, env: process.env, stderr: 'inherit' });
  await client.connect(transport);
  return {
    client,
    era: 'legacy',
    callTool: (params, options) => client.callTool(params, undefined, options),
    // The task methods of 2025-11-25.
    async callAsTask(params) {
      const seen = [];
      for await (const message of client.experimental.tasks.callToolStream(params, undefined, { task: { ttl: 60_000 } })) seen.push(message);
      return seen;
    },
  };
}

async function v2(kind, modules, command, args, answers, heard) {
  const { Client } = await load(modules, 'client/dist/index.mjs');
  const { StdioClientTransport } = await load(modules, 'client/dist/stdio.mjs');
  const mode = { v2: 'legacy', 'v2-auto': 'auto', 'v2-modern': { pin: '2026-07-28' } }[kind];
  const listChanged = heard['notifications/tools/list_changed'];
  const client = new Client(info, {
    capabilities,
    versionNegotiation: { mode },
    listChanged: { tools: { onChanged: listChanged } },
  });
  for (const [method, answer] of Object.entries(answers)) client.setRequestHandler(method, ({ params }) => answer(params));
  for (const [method, hear] of Object.entries(heard)) {
    if (hear !== listChanged) client.setNotificationHandler(method, ({ params }) => hear(params));
  }
  await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: 'inherit' }));
  return { client, era: client.getProtocolEra(), callTool: (params, options) => client.callTool(params, options) };
}
