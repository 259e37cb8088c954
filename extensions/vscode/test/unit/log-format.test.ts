import * as assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { logText } from '../../src/logs/format';
import type { LogEntry } from '../../src/protocol';

const t = (message: string, ...args: (string | number)[]) => message.replace('{0}', String(args[0]));

describe('the text of a log', () => {
  const time = new Date(2026, 0, 31, 12, 0, 5, 7).toISOString(); // of the local time
  const when = '2026-01-31 12:00:05.007';
  const cases: [string, LogEntry[], string][] = [
    ['nothing', [], ''],
    [
      'a log message',
      [{ time, source: 'mcp', level: 'warning', logger: 'db', text: 'slow' }],
      `${when} [warning] db: slow\n`,
    ],
    ['one without a logger', [{ time, source: 'mcp', level: 'notice', text: 'ok' }], `${when} [notice] ok\n`],
    ['standard error', [{ time, source: 'stderr', text: 'hello' }], `${when} [stderr] hello\n`],
    ['the daemon', [{ time, source: 'daemon', text: 'starting' }], `${when} [daemon] starting\n`],
    [
      'a message of several lines',
      [
        { time, source: 'mcp', level: 'error', text: 'failed' },
        { time, source: 'mcp', level: 'error', more: true, text: '\tat one' },
      ],
      `${when} [error] failed\n    \tat one\n`,
    ],
    [
      'harmful text',
      [{ time, source: 'mcp', level: 'info', logger: 'a\nb\u202e', text: 'x\u001b[2J\ry\nz' }],
      `${when} [info] a\\nb\\u{202e}: x\\u{1b}[2J\\ry\\nz\n`,
    ],
  ];
  for (const [name, entries, want] of cases) {
    test(name, () => assert.equal(logText({ lines: [], entries }, t), want));
  }

  test('says how many lines are missing, before the others', () => {
    assert.equal(
      logText({ lines: [], entries: [{ time, source: 'stderr', text: 'on' }], missed: 7 }, t),
      `[7 lines are missing here]\n${when} [stderr] on\n`,
    );
    assert.equal(logText({ lines: [], entries: [], missed: 1 }, t), '[one line is missing here]\n');
  });

  test('is that of the lines where the daemon has no entries', () => {
    assert.equal(logText({ lines: ['stderr: one', 'mcp: [info] two'] }, t), 'stderr: one\nmcp: [info] two\n');
  });
});
