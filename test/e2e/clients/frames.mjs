// The ways in which the bytes of an LSP client may arrive. A way takes what
// Microsoft's StreamMessageWriter writes, a header and then its content, and hands it to a pipe.

import { Writable } from 'node:stream';

/**
 * @param {Writable} pipe
 * @param {(text: Buffer) => Iterable<Buffer>} cut
 */
function cutting(pipe, cut) {
  return new Writable({
    async write(chunk, _encoding, done) {
      try {
        for (const piece of cut(chunk)) await new Promise((resolve, reject) => pipe.write(piece, (err) => (err ? reject(err) : resolve())));
        done();
      } catch (err) {
        done(err);
      }
    },
    final: (done) => pipe.end(done),
  });
}

/** Each piece is a write of its own, and characters of several bytes are cut. */
export const inPieces = (pipe, random) => cutting(pipe, function* (chunk) {
  const most = chunk.length > 10_000 ? chunk.length / 10 : 7;
  for (let at = 0; at < chunk.length;) {
    const end = at + 1 + Math.floor(random() * most);
    yield chunk.subarray(at, end);
    at = end;
  }
});

/** Headers have a Content-Type, as LSP allows, in front or behind. */
export const withContentType = (pipe, random) => cutting(pipe, function* (chunk) {
  const type = 'Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n';
  const header = /^Content-Length: \d+\r\n\r\n$/.test(chunk.toString('latin1')) && chunk.toString('latin1');
  if (!header) yield chunk;
  else if (random() < 0.5) yield Buffer.from(type + header);
  else yield Buffer.from(header.slice(0, -2) + type + '\r\n');
});

/** All that is written in one turn of the event loop or while a write is under way arrives in one write. */
export function together(pipe) {
  let held = [];
  let scheduled = false;
  const flush = () => {
    scheduled = false;
    const all = Buffer.concat(held);
    held = [];
    pipe.write(all);
  };
  return new Writable({
    write(chunk, _encoding, done) {
      held.push(chunk);
      if (!scheduled) {
        scheduled = true;
        setTimeout(flush, 5); // the writer takes several turns for a message
      }
      done();
    },
    final(done) {
      flush();
      pipe.end(done);
    },
  });
}

/** As they are. */
export const plainly = (pipe) => cutting(pipe, (chunk) => [chunk]);

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function randomOf(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
