// A server of .vscode/mcp.json: the daemon runs it until the client of VS Code does, and again once it is shared.

import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tracker } from '../harness.mjs';

const { command, args } = tracker();
const definitions = `{
  "servers": {
    // The notes of the crew.
    "notes": {
      "command": ${JSON.stringify(command)},
      "args": ${JSON.stringify(args)} // all of them
    },
    // Stays.
    "chart": { "command": "no-such-program" }
  }
}
`;

const withoutNotes = `{
  "servers": {
    // Stays.
    "chart": { "command": "no-such-program" }
  }
}
`;

export const share = {
  async 'leaves a server of .vscode/mcp.json to the client of VS Code once that is in use'({ w, place }) {
    await w.closeEditors();
    writeFileSync(join(place.folder, '.vscode/mcp.json'), definitions);
    await w.node('notes, needs approval').waitFor();
    const workspace = JSON.parse(readFileSync(place.file, 'utf8'));
    workspace.settings['chat.disableAIFeatures'] = false;
    writeFileSync(place.file, JSON.stringify(workspace));
    await w.node('notes, run by code-server').waitFor();
    await w.node('chart, run by code-server').waitFor();
    await w.dismissToasts();
  },

  async 'shows what moves in both files, and moves nothing when the person leaves'({ w, place }) {
    await w.pressIn(w.node('notes, run by'), 'Share Server…', w.title('Share "notes"'));
    await w.choose('All your projects');
    await w.asked('Move "notes" from .vscode/mcp.json');
    await w.text('"notes"');
    await w.choose('Leave It');
    await w.page.locator('.tab', { hasText: 'Move "notes"' }).waitFor({ state: 'detached' });
    assert.equal(readFileSync(join(place.folder, '.vscode/mcp.json'), 'utf8'), definitions);
  },

  async 'moves it to the project, with its comments, and the daemon asks about it'({ w, place }) {
    await w.palette('Editord: Share Server…', w.row('notes'));
    await w.choose('notes');
    await w.choose('This project');
    await w.asked('Move "notes" from .vscode/mcp.json to .mcp.json?');
    await w.choose('Move It');
    await w.page.locator('.tab.active', { hasText: '.mcp.json' }).waitFor(); // both are saved
    await w.node('notes, needs approval').waitFor();
    await w.node('chart, run by code-server').waitFor();
    assert.equal(readFileSync(join(place.folder, '.vscode/mcp.json'), 'utf8'), withoutNotes);
    const shared = readFileSync(join(place.folder, '.mcp.json'), 'utf8');
    assert.match(shared, /"deploy".*\/\/ The notes of the crew\.\n *"notes": \{.*\/\/ all of them/s);
  },

  async 'takes the move back in both files with one undo'({ w, place }) {
    const shared = readFileSync(join(place.folder, '.mcp.json'), 'utf8');
    await w.text('The notes of the crew');
    await w.editor.last().click();
    await w.press('ControlOrMeta+z');
    await w.palette('File: Save All Files', w.node('notes, run by code-server'));
    assert.equal(readFileSync(join(place.folder, '.vscode/mcp.json'), 'utf8'), definitions);
    assert.doesNotMatch(readFileSync(join(place.folder, '.mcp.json'), 'utf8'), /notes/);
    assert.notEqual(readFileSync(join(place.folder, '.mcp.json'), 'utf8'), shared);
  },

  async 'makes the file that is not there, and undo takes it away'({ w, place }) {
    const project = join(place.folder, '.mcp.json');
    const before = readFileSync(project, 'utf8');
    rmSync(project);
    await w.closeEditors();
    await w.pressIn(w.node('chart, run by'), 'Share Server…', w.title('Share "chart"'));
    await w.choose('This project');
    await w.asked('Move "chart"');
    await w.choose('Move It');
    await w.page.locator('.tab.active', { hasText: '.mcp.json' }).waitFor(); // both are saved
    await w.node('chart, needs approval').waitFor();
    assert.equal(
      readFileSync(project, 'utf8'),
      '{\n  "mcpServers": {\n    // Stays.\n    "chart": { "command": "no-such-program" }\n  }\n}\n',
    );
    await w.editor.last().click();
    await w.press('ControlOrMeta+z');
    await w.node('chart, run by code-server').waitFor();
    writeFileSync(project, before);
    rmSync(join(place.folder, '.vscode/mcp.json'));
    await w.node('chart').waitFor({ state: 'detached' });
  },
};
