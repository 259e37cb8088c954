// The page that shows a result.

import { html } from '../text';
import { webpage } from '../ui/webpage';
import { type Block, size } from './format';

/** The texts of the page, in the person's language. */
export interface Labels {
  save: string;
  open: string;
  asText: string;
  image: string;
  audio: string;
}

/**
 * Returns the page. A click comes back as {open: i} or {save: i}, with the number of the block, or as
 * {text: true}. `markdown` has the HTML of blocks of Markdown; a block without is shown as text.
 */
export function page(
  title: string,
  blocks: Block[],
  markdown: (string | undefined)[],
  language: string,
  l: Labels,
): string {
  return webpage({
    title,
    language,
    header: `<button data-text="1">${html(l.asText)}</button>`,
    main: blocks.map((b, i) => `<section>${blockHtml(b, markdown[i], i, l)}</section>`).join('\n'),
    style,
    script,
    media: true,
  });
}

function blockHtml(b: Block, rendered: string | undefined, i: number, l: Labels): string {
  switch (b.kind) {
    case 'markdown':
      return rendered ?? `<pre class="text"><code>${html(b.text)}</code></pre>`;
    case 'heading':
      return `<h2 class="role">${html(b.text)}</h2>`;
    case 'json':
      return `<pre><code>${html(b.text)}</code></pre>`;
    case 'image':
      return `<img alt="${html(l.image)}" src="data:${html(b.mime)};base64,${html(b.data)}">`;
    case 'audio':
      return `<audio controls aria-label="${html(l.audio)}" src="data:${html(b.mime)};base64,${html(b.data)}"></audio>`;
    case 'file':
      return `<p>${html(b.name)} <span class="faint">${html(b.mime)}, ${size(b.bytes)}</span> <button data-save="${i}">${html(l.save)}</button></p>`;
    case 'link':
      return `<p><button data-open="${i}">${html(l.open)}</button> ${html(b.name)} <code>${html(b.uri)}</code> <span class="faint">${html(b.description)}</span></p>`;
  }
}

const script = `
const code = acquireVsCodeApi();
document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest('button') : null;
  if (button === null) return;
  const { open, save } = button.dataset;
  code.postMessage(open !== undefined ? { open: Number(open) } : save !== undefined ? { save: Number(save) } : { text: true });
});`;

const style = `
section { margin: .75rem 0; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
.role { font-size: .9em; text-transform: uppercase; letter-spacing: .05em; color: var(--vscode-descriptionForeground); }
.image { color: var(--vscode-descriptionForeground); }`;
