// The page that shows a result.

import { html, type Translate } from '../text';
import { webpage } from '../ui/webpage';
import { type Block, size } from './format';

/** What a button of the page does. */
export const actions = [
  'back',
  'forward',
  'keep',
  'copy',
  'save',
  'insert',
  'replace',
  'text',
  'call',
  'chat',
  'open',
] as const;
export type Action = (typeof actions)[number];

/** What a page shows beside the blocks of its result. */
export interface View {
  /** Comes back with each click, so that a click belongs to what is seen. */
  id: string;
  title: string;
  /** When the result came, and of which arguments. */
  note: string;
  /** Its place in the history; undefined when it was kept. */
  at: { position: number; count: number } | undefined;
  blocks: Block[];
  /** Where media come from that are files: the source for a policy, and the address of a file. */
  media: { from: string; address: (uri: string) => string };
  /** What can be done with the whole result. */
  offered: readonly Action[];
  /** The button that has the focus, if it can. */
  focus: Action | undefined;
}

/**
 * Returns the page. A click comes back as {id, action, block}, where block is the number of a block,
 * undefined for the whole result. `markdown` has the HTML of blocks of Markdown; a block without is
 * shown as text.
 */
export function page(view: View, markdown: (string | undefined)[], language: string, t: Translate): string {
  const copied = view.blocks.length === 1 && view.offered.includes('copy');
  return webpage({
    title: view.title,
    language,
    header: header(view, t),
    main: view.blocks
      .map((b, i) => `<section>${blockHtml(b, markdown[i], view, t)}${buttons(b, i, copied, t)}</section>`)
      .join('\n'),
    style,
    script: `const id = ${JSON.stringify(view.id)};${script}`,
    media: view.blocks.some((b) => b.kind === 'kept' && b.drawn) ? view.media.from : '',
  });
}

function header({ note, at, offered, focus }: View, t: Translate): string {
  const button = (action: Action, text: string, more = '') =>
    `<button data-action="${action}"${focus === action ? ' data-focus' : ''}${more}>${html(text)}</button>`;
  const label = (text: string) => ` aria-label="${html(text)}" title="${html(text)}"`;
  const off = (is: boolean | undefined) => (is ? ' disabled' : '');
  const history = at
    ? `<nav aria-label="${html(t('History of results'))}">
${button('back', '←', label(t('Previous Result')) + off(at.position === 1))}
<span>${html(t('{0} of {1}', at.position, at.count))}</span>
${button('forward', '→', label(t('Next Result')) + off(at.position === at.count))}
${button('keep', t('Keep'), ` title="${html(t('Keep this result in a tab of its own'))}"`)}
</nav>`
    : '';
  const texts: { [action in Action]?: string } = {
    copy: t('Copy'),
    save: t('Save As…'),
    insert: t('Insert at Cursor'),
    replace: t('Replace Selection'),
    text: t('Open as Text'),
    call: t('Open as Call Document'),
    chat: t('Open in Chat'),
  };
  return `${history}
<p class="faint">${html(note)}</p>
<div class="bar">${offered.map((action) => button(action, texts[action] ?? '')).join('\n')}</div>`;
}

function blockHtml(b: Block, rendered: string | undefined, { media }: View, t: Translate): string {
  const draw = (kind: 'image' | 'audio', source: string) =>
    kind === 'image'
      ? `<img alt="${html(t('Image in the result'))}" src="${html(source)}">`
      : `<audio controls aria-label="${html(t('Audio in the result'))}" src="${html(source)}"></audio>`;
  const about = (name: string, mime: string, bytes: number) =>
    `<p>${html(name)} <span class="faint">${html(mime)}${mime && ', '}${size(bytes)}</span></p>`;
  switch (b.kind) {
    case 'markdown':
      return rendered ?? text(b.text);
    case 'text':
      return text(b.text);
    case 'heading':
      return `<h2 class="role">${html(b.text)}</h2>`;
    case 'json':
      return `<pre tabindex="0"><code>${html(b.text)}</code></pre>`;
    case 'image':
    case 'audio':
      return draw(b.kind, `data:${b.mime};base64,${b.data}`);
    case 'file':
      return about(b.name, b.mime, b.bytes);
    case 'kept':
      return b.drawn ? draw(b.drawn, media.address(b.file.uri)) : about(b.name, b.file.mimeType ?? '', b.file.size);
    case 'link':
      return `<p>${html(b.name)} <code>${html(b.uri)}</code> <span class="faint">${html(b.description)}</span></p>`;
  }
}

function text(text: string): string {
  return `<pre class="text" tabindex="0"><code>${html(text)}</code></pre>`;
}

/** Returns the buttons of a block. An only text is `copied` by the button in the header. */
function buttons(b: Block, i: number, copied: boolean, t: Translate): string {
  const button = (action: Action, text: string) =>
    `<button data-action="${action}" data-block="${i}">${html(text)}</button>`;
  switch (b.kind) {
    case 'markdown':
    case 'text':
    case 'json':
      return copied ? '' : `<div class="bar">${button('copy', t('Copy'))}</div>`;
    case 'image':
    case 'audio':
    case 'file':
      return `<div class="bar">${button('save', t('Save As…'))}</div>`;
    case 'kept':
      return `<div class="bar">${button('open', t('Open'))} ${button('save', t('Save As…'))}</div>`;
    case 'link':
      return `<div class="bar">${button('open', t('Open'))}</div>`;
    case 'heading':
      return '';
  }
}

// A page that was hidden begins anew: it goes back to where it was. What it shows after a reload of the window is its state.
const script = `
const code = acquireVsCodeApi();
const state = code.getState();
if (state && state.id === id) scrollTo(0, state.y);
else code.setState({ id, y: 0 });
const wanted = document.querySelector('[data-focus]');
const focus = wanted?.disabled ? document.querySelector('nav button:enabled') : wanted;
focus?.focus();
// VS Code loads a page hidden, where the browser may give the focus to nothing in it.
addEventListener('focus', () => document.activeElement === document.body && focus?.focus(), { once: true });
addEventListener('scroll', () => code.setState({ id, y: scrollY }), { passive: true });
addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest('button') : null;
  if (button === null) return;
  const { action, block } = button.dataset;
  code.postMessage({ id, action, block: block === undefined ? undefined : Number(block) });
});`;

const style = `
header h1 { flex-basis: 100%; margin-bottom: 0; }
header p { flex: 1 1 12rem; margin: 0; }
nav { display: flex; align-items: center; gap: .5rem; }
nav span { min-width: 4em; text-align: center; }
.bar { display: flex; flex-wrap: wrap; gap: .5rem; margin: .25rem 0; }
header .bar { flex-basis: 100%; }
section { margin: .75rem 0; }
section .bar button { padding: 0 .5rem; font-size: .9em; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
.role { font-size: .9em; text-transform: uppercase; letter-spacing: .05em; color: var(--vscode-descriptionForeground); }
.image { color: var(--vscode-descriptionForeground); }`;
