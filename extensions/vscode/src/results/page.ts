// The page that shows a result.

import { html } from '../text';
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
 * Returns the page. Its policy lets nothing in: no network, only its own scripts and styles, and
 * images and audio only from the result. A click comes back as {open: i} or {save: i}, with the number
 * of the block, or as {text: true}. `markdown` has the HTML of blocks of Markdown; a block without is
 * shown as text.
 */
export function page(
  title: string,
  blocks: Block[],
  markdown: (string | undefined)[],
  nonce: string,
  l: Labels,
): string {
  const policy = `default-src 'none'; img-src data:; media-src data:; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; form-action 'none'; base-uri 'none'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${html(title)}</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<header><h1>${html(title)}</h1><button data-text="1">${html(l.asText)}</button></header>
<main>
${blocks.map((b, i) => `<section>${blockHtml(b, markdown[i], i, l)}</section>`).join('\n')}
</main>
<script nonce="${nonce}">${script}</script>
</body>
</html>`;
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
      return `<p class="file">${html(b.name)} <span>${html(b.mime)}, ${size(b.bytes)}</span> <button data-save="${i}">${html(l.save)}</button></p>`;
    case 'link':
      return `<p class="link"><button data-open="${i}">${html(l.open)}</button> ${html(b.name)} <code>${html(b.uri)}</code> <span>${html(b.description)}</span></p>`;
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
body { color: var(--vscode-editor-foreground); font: var(--vscode-font-size)/1.6 var(--vscode-font-family); padding: 0 1.5rem 2rem; max-width: 60rem; }
header { display: flex; align-items: center; gap: 1rem; border-bottom: 1px solid var(--vscode-panel-border); margin-bottom: 1rem; }
header h1 { flex: 1; font-size: 1.15em; font-weight: 600; }
section { margin: .75rem 0; }
pre { background: var(--vscode-textCodeBlock-background); border-radius: 4px; padding: .75rem; overflow-x: auto; }
code { font-family: var(--vscode-editor-font-family); font-size: var(--vscode-editor-font-size); }
pre code { background: none; padding: 0; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
img { max-width: 100%; }
table { border-collapse: collapse; } th, td { border: 1px solid var(--vscode-panel-border); padding: .25rem .6rem; text-align: left; }
a { color: var(--vscode-textLink-foreground); }
blockquote { border-left: 4px solid var(--vscode-textBlockQuote-border); margin: 0; padding: 0 1rem; }
.file span, .link span, .image { color: var(--vscode-descriptionForeground); }
.role { font-size: .9em; text-transform: uppercase; letter-spacing: .05em; color: var(--vscode-descriptionForeground); }
button { background: var(--vscode-button-secondaryBackground); color: var(--vscode-button-secondaryForeground); border: 1px solid var(--vscode-button-border, var(--vscode-panel-border)); border-radius: 3px; padding: .25rem .75rem; font: inherit; cursor: pointer; }
button:hover { background: var(--vscode-button-secondaryHoverBackground); }
button:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 2px; }`;
