// Draws media/icon.png, the picture of the extension in VS Code and in the Marketplace, from
// media/mcp.svg. Run `make vscode` first, then node icon.mjs.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { extension, root } from './test/harness.mjs';

const size = 256; // px, twice the size shown, for screens of high density
const symbol = readFileSync(join(extension, 'media/mcp.svg'), 'utf8');

const browser = await chromium.launch({ executablePath: join(root, '.tools/vscode/browser'), args: ['--no-sandbox'] });
try {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(`<style>
    body { margin: 0; }
    div {
      width: ${size}px; height: ${size}px; border-radius: ${size * 0.18}px;
      display: grid; place-items: center;
      color: #f4f6fb; background: linear-gradient(160deg, #3d4f73, #1b2438);
    }
    svg { width: 74%; height: 74%; transform: translateY(-1%); }
    circle { fill: #5fd0c5; stroke: none; }
    circle:first-of-type { fill: #f4f6fb; }
    circle:not(:first-of-type) { r: 2px; }
  </style><div>${symbol}</div>`);
  await page.screenshot({ path: join(extension, 'media/icon.png'), omitBackground: true });
} finally {
  await browser.close();
}
