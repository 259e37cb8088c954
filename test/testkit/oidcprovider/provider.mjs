// A real identity provider, oidc-provider, and an MCP server of the official SDK that it protects. Nobody
// of this project wrote the part that decides whether a sign-in is right: test/testkit/authserver is the
// one that misbehaves on demand.
//
//   node provider.mjs
//
// The program writes one line of JSON to standard output and ends when its standard input does. Everything
// listens on 127.0.0.1.
//
//   {"issuer": …, "mcp": …, "control": …}
//
// The provider demands PKCE with S256, takes public clients for native programs that register themselves,
// gives a token only for the MCP server (RFC 8707), and one refresh token for each refresh. Any login will
// do on its pages, with any password. The MCP server has the tools echo and whoami.
//
// control answers GET with how often each event happened. POST …/expire ends every access token, and POST
// …/revoke every grant with all that was given for it.

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const modules = process.env.MCP_EDITORD_TEST_SERVERS ?? resolve(here, '../../../.tools/servers/node_modules');
const load = (path) => import(pathToFileURL(join(modules, path)));

// oidc-provider warns of what makes this one unfit for more than tests.
console.info = console.warn = () => {};

const { Provider, errors } = await load('oidc-provider/lib/index.js');
const { default: express } = await load('express/index.js');
const sdk = (path) => load(`@modelcontextprotocol/sdk/dist/esm/${path}.js`);
const { McpServer } = await sdk('server/mcp');
const { StreamableHTTPServerTransport } = await sdk('server/streamableHttp');
const { requireBearerAuth } = await sdk('server/auth/middleware/bearerAuth');
const { getOAuthProtectedResourceMetadataUrl, mcpAuthMetadataRouter } = await sdk('server/auth/router');
const { InvalidTokenError } = await sdk('server/auth/errors');
const { z } = await load('zod/index.js');

/** Listens on a port of its own, which its handler may need to know. */
async function listen() {
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
}

const front = await listen();
const back = await listen();
const issuer = front.origin;
const mcp = new URL('/mcp', back.origin);

const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
const provider = new Provider(issuer, {
  jwks: { keys: [{ ...key, use: 'sig', alg: 'RS256' }] },
  cookies: { keys: [randomBytes(16).toString('hex')] },
  findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  scopes: ['openid', 'offline_access'],
  pkce: { required: () => true },
  rotateRefreshToken: true,
  ttl: { AccessToken: 3600, RefreshToken: 24 * 3600, Grant: 24 * 3600, Session: 24 * 3600, Interaction: 3600 },
  features: {
    devInteractions: { enabled: true }, // its own pages, of which each takes any login
    registration: { enabled: true },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo(_ctx, resource) {
        if (resource !== mcp.href) {
          throw new errors.InvalidTarget();
        }
        return { scope: 'mcp', audience: resource, accessTokenTTL: 3600, accessTokenFormat: 'opaque' };
      },
    },
  },
});
front.server.on('request', provider.callback());

// What happened, for tests to wait for.
const counts = {};
const grants = new Set();
const tokens = new Set();
provider.on('access_token.saved', (token) => tokens.add(token));
for (const event of [
  'registration_create.success',
  'authorization.success',
  'authorization.error',
  'grant.success',
  'grant.error',
  'refresh_token.consumed',
  'refresh_token.destroyed',
  'access_token.destroyed',
  'grant.revoked',
  'server_error',
]) {
  counts[event] = 0;
  provider.on(event, (ctx, error) => {
    counts[event]++;
    if (event === 'grant.success') {
      grants.add(ctx.oidc.entities.Grant.jti);
    }
    if (error instanceof Error) {
      console.error(`${event}: ${error.message}: ${error.error_detail ?? error.error_description ?? error.stack}`);
    }
  });
}

async function expire() {
  for (const token of tokens) {
    await token.destroy();
  }
  tokens.clear();
}

async function revoke() {
  for (const id of grants) {
    await provider.RefreshToken.revokeByGrantId(id);
    await provider.AccessToken.revokeByGrantId(id);
    await (await provider.Grant.find(id))?.destroy();
  }
  grants.clear();
}

/** Returns a server for one request: there is nothing to remember between two. */
function newServer() {
  const server = new McpServer({ name: 'guarded', version: '1.0.0' });
  const text = (value) => ({ content: [{ type: 'text', text: value }] });
  const echo = { description: 'Says what you say.', inputSchema: { text: z.string() } };
  server.registerTool('echo', echo, ({ text: said }) => text(said));
  const whoami = { description: 'Says who you are.', inputSchema: {} };
  server.registerTool('whoami', whoami, (_args, { authInfo }) => text(authInfo.extra.login));
  return server;
}

const verifier = {
  async verifyAccessToken(value) {
    const token = await provider.AccessToken.find(value);
    if (!token || token.isExpired) {
      throw new InvalidTokenError('The token is not valid');
    }
    return {
      token: value,
      clientId: token.clientId,
      scopes: token.scope?.split(' ') ?? [],
      expiresAt: token.exp,
      resource: new URL(token.aud),
      extra: { login: token.accountId },
    };
  },
};

const app = express();
app.get('/control', (_request, response) => response.json(counts));
for (const [what, change] of Object.entries({ expire, revoke })) {
  app.post(`/control/${what}`, async (_request, response) => {
    await change();
    response.json(counts);
  });
}
const metadata = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
app.use(mcpAuthMetadataRouter({ oauthMetadata: metadata, resourceServerUrl: mcp, scopesSupported: ['mcp'] }));
const guard = requireBearerAuth({
  verifier,
  requiredScopes: ['mcp'],
  resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(mcp),
  expectedResource: mcp,
});
app.post(mcp.pathname, guard, express.json(), async (request, response) => {
  const server = newServer();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  response.on('close', () => server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response, request.body);
});
app.all(mcp.pathname, guard, (_request, response) => response.status(405).set('Allow', 'POST').end());
back.server.on('request', app);

process.stdout.write(`${JSON.stringify({ issuer, mcp: mcp.href, control: `${back.origin}/control` })}\n`);
process.stdin.on('close', () => process.exit()).resume();
