import * as assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Findable, searchIn } from '../../src/ui/search';

const items: Findable[] = [
  { name: 'browser_take_screenshot', title: 'Take a screenshot', server: 'playwright', text: 'not browser_snapshot' },
  { name: 'browser_snapshot', title: 'Page snapshot', server: 'playwright', text: 'Capture accessibility snapshot' },
  { name: 'browser_snapshot_all', server: 'playwright' },
  { name: 'create_issue', title: 'New ticket', server: 'github' },
  { name: 'closeIssue', server: 'github', text: 'Closes what create made.\nÄnderung' },
  { name: 'issues.list', server: 'tracker' },
  { name: 'burndown', title: 'Issue chart', server: 'tracker' },
  { name: 'read', server: 'issue-server' },
  { name: 'c++', server: 'tracker' },
];

describe('search', () => {
  const search = searchIn(items);
  const names = (typed: string) => search(typed).map((i) => items[i]?.name);

  for (const [name, typed, want] of [
    [
      'the exact name comes first, then names that begin so',
      'browser_snapshot',
      ['browser_snapshot', 'browser_snapshot_all', 'browser_take_screenshot'],
    ],
    ['words match in any order', 'issue create', ['create_issue', 'closeIssue']],
    ['a name is made of words', 'close issue', ['closeIssue']],
    ['words may be written together', 'createissue', ['create_issue']],
    ['or with another sign', 'close-issue', ['closeIssue']],
    ['case does not matter', 'BROWSER_SNAP', ['browser_snapshot', 'browser_snapshot_all', 'browser_take_screenshot']],
    [
      'names come before titles, and titles before servers',
      'issue',
      ['issues.list', 'create_issue', 'closeIssue', 'burndown', 'read'],
    ],
    ['a title is found', 'ticket', ['create_issue']],
    ['a server narrows down', 'github issue', ['create_issue', 'closeIssue']],
    ['a description has the words as they are', 'änderung', ['closeIssue']],
    ['letters that are strewn do not match', 'brwsr', []],
    ['every word has to match', 'issue nowhere', []],
    ['signs alone are looked for too', '++', ['c++']],
  ] as const) {
    test(name, () => assert.deepEqual(names(typed), want));
  }

  test('nothing typed finds everything, in order', () => {
    assert.deepEqual(
      names('  '),
      items.map((i) => i.name),
    );
  });

  test('two thousand tools are searched', () => {
    const many = Array.from({ length: 2000 }, (_, i) => ({
      name: `tool_${i}_of_many`,
      server: `server${i % 40}`,
      text: 'does something '.repeat(100),
    }));
    const find = searchIn(many);
    assert.equal(find('tool 1999')[0], 1999);
    assert.equal(find('something does many').length, 2000);
  });
});
