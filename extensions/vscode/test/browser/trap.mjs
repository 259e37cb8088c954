// The address that a hostile server wants something loaded from.

import { createServer } from 'node:http';

/** Listens, and records what it is asked for. */
export async function trap() {
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.end();
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  return { address: `http://127.0.0.1:${server.address().port}`, asked, close: () => server.close() };
}
