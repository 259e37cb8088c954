// Renders Markdown that a server wrote as HTML. HTML in it becomes text, an image its description,
// and only links to the web are links.

import { Marked } from 'marked';
import { block, html } from '../text';

const marked = new Marked({
  gfm: true,
  async: false,
  renderer: {
    html: ({ text }) => html(text),
    image: ({ text, href }) => `<span class="image">${html(text || href)} (${html(href)})</span>`,
    link(token) {
      const inside = this.parser.parseInline(token.tokens);
      return /^https?:\/\//i.test(token.href)
        ? `<a href="${html(token.href)}" title="${html(token.href)}">${inside}</a>`
        : `${inside} (${html(token.href)})`;
    },
  },
});

/** Returns HTML without scripts, images and forms. Its links lead to the web. */
export function render(text: string): string {
  return marked.parse(block(text)) as string;
}
