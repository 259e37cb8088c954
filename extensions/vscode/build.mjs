// Bundles the extension into dist/, and with an argument the tests: unit or window.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const common = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
};
const testsIn = (folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name));

switch (process.argv[2]) {
  case undefined:
    await build({
      ...common,
      entryPoints: ['src/extension.ts'],
      outfile: 'dist/extension.js',
      external: ['vscode'],
      minify: true,
      sourcemap: false,
      metafile: true,
      legalComments: 'none',
      // What the language client needs of it belongs to file operations and notebooks, which
      // the daemon has none of.
      alias: { minimatch: './src/no-minimatch.ts' },
    });
    break;
  case 'unit':
    // Without vscode: what a unit test reaches imports only types of it.
    await build({ ...common, entryPoints: testsIn('test/unit'), outdir: 'dist/test/unit' });
    break;
  case 'window':
    await build({
      ...common,
      entryPoints: ['test/window/index.ts'],
      outfile: 'dist/test/window.js',
      external: ['vscode', 'mocha'],
    });
    break;
  default:
    throw new Error('usage: node build.mjs [unit | window]');
}
