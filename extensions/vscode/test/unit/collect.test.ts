import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Collector } from '../../src/results/collect';

/** Returns a reference to something that nobody needs. It is old, so that only a full collection takes it. */
function garbage(): WeakRef<object> {
  return new WeakRef({ text: 'x'.repeat(1000) });
}

test('what is let go of is collected, though nothing else happens', { timeout: 20_000 }, async () => {
  const ref = garbage();
  await setImmediate(); // a WeakRef keeps its target until the end of the job
  const collector = new Collector(0);
  collector.letGo(64 << 20);
  while (ref.deref() !== undefined) {
    await setImmediate();
  }
  collector.dispose();
});

test('little is not worth a collection', async () => {
  const ref = garbage();
  await setImmediate();
  const collector = new Collector(0);
  collector.letGo(1 << 20);
  for (let i = 0; i < 20; i++) {
    await setImmediate();
  }
  assert.ok(ref.deref());
  collector.dispose();
});
