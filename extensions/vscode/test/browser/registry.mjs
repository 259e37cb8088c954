// A registry of servers that the tests write, some of them with texts that mean harm.

import { createServer } from 'node:http';

const harm = '[click](command:workbench.action.toggleZenMode) **bold** $(flame) \u202e\u001b[31m<img src=x>';

/** Returns a server that a package on npm is. */
function entry(name, description, more = {}, official = {}) {
  const packages = [
    { registryType: 'npm', identifier: '@a/b', version: '1.0.0', transport: { type: 'stdio' }, ...more },
  ];
  const server = { name, description, version: '1.0.0', packages };
  return {
    server,
    _meta: { 'io.modelcontextprotocol.registry/official': { status: 'active', isLatest: true, ...official } },
  };
}

const tide = entry('org.example/tide', 'Says when the tide turns');
tide.server.remotes = [{ type: 'streamable-http', url: 'https://tide.invalid/mcp' }];
const entries = [
  tide,
  entry('org.example/tide-tables', 'Tables', {}, { status: 'deprecated', statusMessage: `use tide ${harm}` }),
  entry('org.evil/harm', harm, {
    packageArguments: [{ type: 'positional', value: `$(touch x) ${harm}\nFrom: npm` }],
    environmentVariables: [{ name: 'KEY', description: harm, isRequired: true, isSecret: true }],
  }),
];

/** Listens, and records what it is asked for. */
export async function registry() {
  const asked = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://127.0.0.1');
    asked.push(searchParams.get('search') ?? pathname);
    const one = entries.find((e) => pathname === `/v0.1/servers/${encodeURIComponent(e.server.name)}/versions/latest`);
    const found = entries.filter((e) => e.server.name.includes(searchParams.get('search')));
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(one ?? { servers: found, metadata: { count: found.length } }));
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  return { address: `http://127.0.0.1:${server.address().port}`, asked, close: () => server.close() };
}
