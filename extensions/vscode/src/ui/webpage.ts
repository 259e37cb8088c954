// The frame of every page in a panel of ours: its policy, its styles, and how it is built. A page
// shows what servers wrote, so it lets nothing in.

import { randomBytes } from 'node:crypto';
import type * as vscode from 'vscode';
import { html } from '../text';

/** What a panel may do: run the scripts of its page. It reads no files, and runs no commands. */
export const panelOptions: vscode.WebviewPanelOptions & vscode.WebviewOptions = {
  enableScripts: true,
  enableCommandUris: false,
  enableForms: false,
  enableFindWidget: true,
  localResourceRoots: [],
};

/** A page. `title` is a text. `header` and `main` are HTML, in which every text of a server went through `html`. */
export interface Webpage {
  title: string;
  header?: string;
  main: string;
  /** The language of the texts that are ours, such as that of VS Code. */
  language: string;
  /** Styles and a script of this page, beside those of all pages. */
  style?: string;
  script?: string;
  /** There if it has images and audio: where they may come from, beside data: addresses. */
  media?: string;
}

/**
 * Returns a page as HTML. Its policy lets nothing in: no network, only its own script and styles, and
 * images and audio only from the page itself and from where it says.
 */
export function webpage(p: Webpage, nonce = randomBytes(16).toString('base64url')): string {
  const from = `data:${p.media && ` ${p.media}`}`;
  const media = p.media === undefined ? '' : `img-src ${from}; media-src ${from}; `;
  const policy = `default-src 'none'; ${media}style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; form-action 'none'; base-uri 'none'`;
  return `<!DOCTYPE html>
<html lang="${html(p.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${html(p.title)}</title>
<style nonce="${nonce}">${style}${p.style ?? ''}</style>
</head>
<body>
<header><h1>${html(p.title)}</h1>${p.header ?? ''}</header>
<main>
${p.main}
</main>
${p.script === undefined ? '' : `<script nonce="${nonce}">${p.script}</script>\n`}</body>
</html>`;
}

// VS Code has styles of its own for code, links and buttons. Whatever sets a background here sets the
// colour on it too: the colour of VS Code's own goes with another background in some themes, and
// nobody can read white on white. High contrast has borders where others have backgrounds.
const style = `
body { color: var(--vscode-editor-foreground); background: var(--vscode-editor-background); font: var(--vscode-font-size)/1.6 var(--vscode-font-family); padding: 0 1.5rem 2rem; max-width: 60rem; overflow-wrap: break-word; }
body:is(.vscode-dark, .vscode-high-contrast:not(.vscode-high-contrast-light)) { color-scheme: dark; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; border-bottom: 1px solid var(--vscode-contrastBorder, var(--vscode-panel-border)); margin-bottom: 1rem; padding-bottom: .5rem; }
h1 { font-size: 1.5em; } h2 { font-size: 1.3em; } h3 { font-size: 1.1em; } h4, h5, h6 { font-size: 1em; }
header h1 { flex: 1 1 12rem; font-size: 1.15em; font-weight: 600; margin: .5rem 0; }
code { color: inherit; background: var(--vscode-textCodeBlock-background); border-radius: 3px; padding: 0 .25em; font-family: var(--vscode-editor-font-family); font-size: var(--vscode-editor-font-size); }
pre { color: var(--vscode-editor-foreground); background: var(--vscode-textCodeBlock-background); border: 1px solid var(--vscode-contrastBorder, transparent); border-radius: 4px; padding: .75rem; overflow-x: auto; }
pre code { background: none; padding: 0; }
img { max-width: 100%; }
table { border-collapse: collapse; } th, td { border: 1px solid var(--vscode-contrastBorder, var(--vscode-panel-border)); padding: .25rem .6rem; text-align: left; }
a { color: var(--vscode-textLink-foreground); }
blockquote { color: inherit; background: none; border-left: 4px solid var(--vscode-contrastBorder, var(--vscode-textBlockQuote-border)); margin: 0; padding: 0 1rem; }
.faint { color: var(--vscode-descriptionForeground); }
button { color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground); border: 1px solid var(--vscode-contrastBorder, var(--vscode-button-border, var(--vscode-panel-border))); border-radius: 3px; padding: .25rem .75rem; font: inherit; cursor: pointer; }
button:hover:enabled { background: var(--vscode-button-secondaryHoverBackground); }
button:disabled { opacity: .5; cursor: default; }
:is(a, button, pre, audio):focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 2px; }`;
