// Puts the status of the daemon into words.

import type { EditorStatus, Status } from '../protocol';
import { line, type Translate } from '../text';
import { stateText } from './items';

export function statusText(s: Status, t: Translate): string {
  const minutes = Math.floor(s.uptime / 60);
  const running = minutes === 1 ? t('running for a minute') : t('running for {0} minutes', minutes);
  const out = [
    `mcp-editord ${line(s.version, 60)}, ${t('process {0}', s.pid)}, ${running}`,
    `${t('Socket:')} ${line(s.socket, 400)}`,
    `${t('Configuration:')} ${line(s.config, 400)}`,
    `${t('Log:')} ${line(s.logFile, 400)}`,
    '',
    t('Editors'),
    ...s.editors.filter((e) => !e.agent).map((e) => editorText(e, t)),
  ];
  const agents = s.editors.filter((e) => e.agent);
  if (agents.length > 0) {
    out.push('', t('Agents and chats'), ...agents.map((e) => editorText(e, t)));
  }
  out.push('', t('Servers'));
  for (const { server, editors, folders } of s.servers) {
    const process = server.pid ? `, ${t('process {0}', server.pid)}` : '';
    out.push(`  ${line(server.name, 60)}: ${stateText(server, t)}${process}, ${usedBy(editors, t)}`);
    if (server.error) {
      out.push(`    ${line(server.error.message, 400)}`);
    }
    out.push(...(server.problems ?? []).map((problem) => `    ${line(problem, 600)}`));
    out.push(...folders.map((f) => `    ${line(f, 300)}`));
  }
  out.push('', t('Counters'), ...Object.entries(s.counters).map(([name, value]) => `  ${line(name, 60)}: ${value}`));
  return `${out.join('\n')}\n`;
}

function editorText(e: EditorStatus, t: Translate): string {
  const you = e.you ? ` (${t('this window')})` : '';
  return `  ${e.id}  ${line(e.name, 60)} ${line(e.version ?? '', 40)}${you}: ${e.folders.map((f) => line(f, 200)).join(', ')}`;
}

function usedBy(editors: number[], t: Translate): string {
  const [first] = editors;
  if (first === undefined) {
    return t('no editor');
  }
  return editors.length === 1 ? t('editor {0}', first) : t('editors {0}', editors.join(', '));
}
