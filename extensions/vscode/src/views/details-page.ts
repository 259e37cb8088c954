// The page that shows all that is known of a tool or a prompt, before it is run. Every text of the
// server is shown as the characters it is made of.

import type { Command } from '../daemon/catalog';
import { type Field, inWords } from '../form/schema';
import type { Json, JsonObject } from '../protocol';
import { html, json, type Translate } from '../text';
import { webpage } from '../ui/webpage';
import { commandDescription, commandTitle } from './items';

/** What the page says that somebody did; see `script`. */
export type Said = 'run' | 'newCall' | 'copyId' | 'copyKey' | 'openKeys';

export function isSaid(value: unknown): value is Said {
  return ['run', 'newCall', 'copyId', 'copyKey', 'openKeys'].includes(value as string);
}

// More than this nobody reads on a page, and a page that is much larger is slow.
const maxText = 100_000; // characters
const maxFields = 500;
const maxValues = 200;
const maxValue = 300; // characters

/** Returns the page. `offered` says whether the command can be run now. */
export function detailsPage(
  command: Command,
  fields: Field[],
  offered: boolean,
  language: string,
  t: Translate,
): string {
  const off = offered ? '' : ' disabled';
  return webpage({
    title: cut(commandTitle(command) ?? command.name, maxValue),
    language,
    header: `<span class="buttons"><button class="primary" data-say="run"${off}>${html(t('Run…'))}</button> <button data-say="newCall"${off}>${html(t('Open as Call Document'))}</button> <button data-say="copyId">${html(t('Copy ID'))}</button></span>`,
    main: [
      offered ? '' : `<p class="gone" role="status">${html(goneText(command, t))}</p>`,
      facts(command, t),
      description(command),
      command.kind === 'tool' ? hintList(command, t) : '',
      argumentList(fields, t),
      keys(command, t),
      command.kind === 'tool' ? schema(command.tool.inputSchema, t) : '',
    ].join('\n'),
    style,
    script,
  });
}

/** Returns what to write into keybindings.json to run the command with a key. */
export function keybinding(command: Command): string {
  return `{ "key": "ctrl+alt+0", "command": ${json(command.id)} }`;
}

function goneText(command: Command, t: Translate): string {
  return command.kind === 'tool'
    ? t('This tool cannot be run now: its server is not ready, or no longer offers it.')
    : t('This prompt cannot be run now: its server is not ready, or no longer offers it.');
}

function facts(command: Command, t: Translate): string {
  const rows = [
    [t('Name'), command.name],
    [t('Server'), command.server],
    [t('Command'), command.id],
  ];
  return `<dl>${rows.map(([term = '', text = '']) => `<dt>${html(term)}</dt><dd><code>${html(cut(text))}</code></dd>`).join('')}</dl>`;
}

function description(command: Command): string {
  const text = commandDescription(command)?.trim();
  return text ? `<p class="text">${html(cut(text))}</p>` : '';
}

function hintList({ tool }: Command & { kind: 'tool' }, t: Translate): string {
  const a = tool.annotations ?? {};
  const said: string[] = [];
  if (a.readOnlyHint) {
    said.push(t('Read-only: it changes nothing.'));
  } else if (a.destructiveHint) {
    said.push(t('Destructive: it may delete or overwrite.'));
  } else if (a.destructiveHint === false) {
    said.push(t('Not destructive: it only adds.'));
  }
  if (a.idempotentHint && !a.readOnlyHint) {
    said.push(t('Idempotent: the same call again has no further effect.'));
  }
  if (a.openWorldHint !== undefined) {
    said.push(a.openWorldHint ? t('Reaches external systems.') : t('Reaches no external systems.'));
  }
  const list = said.map((hint) => `<li>${html(hint)}</li>`).join('');
  return `<h2>${html(t('What the server says about it'))}</h2>${list ? `<ul>${list}</ul>` : ''}
<p class="faint">${html(said.length > 0 ? t('mcp-editord does not check this.') : t('The server does not say whether it changes or deletes anything.'))}</p>`;
}

function argumentList(fields: Field[], t: Translate): string {
  const more = fields.length - maxFields;
  return `<h2>${html(t('Arguments'))}</h2>
${fields.length === 0 ? `<p>${html(t('None.'))}</p>` : ''}
${fields
  .slice(0, maxFields)
  .map((f) => argument(f, t))
  .join('\n')}
${more > 0 ? `<p>${html(t('… and {0} more; the schema has all of them.', more))}</p>` : ''}`;
}

function argument(f: Field, t: Translate): string {
  const kind = [inWords(f, t), f.required ? t('required') : t('optional')].join(', ');
  const values = f.choices.slice(0, maxValues).map((c) => {
    const value = valueText(c.value);
    const label = c.label === value ? '' : ` ${html(cut(c.label, maxValue))}`;
    return `<li><code>${html(cut(value, maxValue))}</code>${label}</li>`;
  });
  const more = f.choices.length - maxValues;
  return `<section class="argument">
<h3><code>${html(cut(f.name))}</code> <span class="kind">${html(kind)}</span></h3>
${f.title === f.name ? '' : `<p>${html(cut(f.title))}</p>`}
${f.description === '' ? '' : `<p class="text">${html(cut(f.description))}</p>`}
${f.default === undefined ? '' : `<p>${html(t('Default:'))} <code>${html(cut(valueText(f.default)))}</code></p>`}
${values.length === 0 ? '' : `<p>${html(t('Values:'))}</p><ul class="values">${values.join('')}</ul>`}
${more > 0 ? `<p>${html(t('… and {0} more; the schema has all of them.', more))}</p>` : ''}
</section>`;
}

function keys(command: Command, t: Translate): string {
  return `<h2>${html(t('Run it with a key'))}</h2>
<p>${html(t('Copy this into keybindings.json and change the key. Add "args" to pass arguments: then the command asks only for what is required and missing.'))}</p>
<pre tabindex="0"><code>${html(keybinding(command))}</code></pre>
<p><button data-say="copyKey">${html(t('Copy Keybinding'))}</button> <button data-say="openKeys">${html(t('Open keybindings.json'))}</button></p>`;
}

function schema(value: JsonObject | undefined, t: Translate): string {
  return `<details><summary>${html(t('Schema of the arguments'))}</summary><pre tabindex="0"><code>${html(cut(json(value ?? {})))}</code></pre></details>`;
}

function valueText(value: Json): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

function cut(text: string, max = maxText): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}

const script = `
const code = acquireVsCodeApi();
document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest('[data-say]') : null;
  if (button !== null) code.postMessage(button.dataset.say);
});`;

const style = `
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0 0 1rem; }
dt { color: var(--vscode-descriptionForeground); } dd { margin: 0; overflow-wrap: anywhere; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
.gone { border: 1px solid var(--vscode-contrastBorder, var(--vscode-inputValidation-warningBorder)); border-radius: 4px; padding: .5rem .75rem; }
.argument { border-top: 1px solid var(--vscode-contrastBorder, var(--vscode-panel-border)); padding: .25rem 0; }
.argument p, .argument ul { margin: .25rem 0; }
h3 { margin: .5rem 0 .25rem; font-weight: 400; overflow-wrap: anywhere; } h3 code { font-weight: 600; }
.kind { color: var(--vscode-descriptionForeground); }
.primary { color: var(--vscode-button-foreground); background: var(--vscode-button-background); }
.primary:hover:enabled { background: var(--vscode-button-hoverBackground); }
summary { cursor: pointer; margin: 1rem 0 .5rem; font-size: 1.3em; font-weight: 600; }
summary:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 2px; }`;
