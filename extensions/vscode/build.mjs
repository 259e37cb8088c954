// Bundles the extension into dist/, and with an argument the tests: unit or window.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const common = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
  // Its other form requires files in a way that cannot be bundled.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
};
const testsIn = (folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name));

/** Returns the licenses of the packages that these files come from, to go with the bundle. */
function licenses(files) {
  const folders = new Set(files.flatMap((file) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  const texts = [...folders].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) {
      throw new Error(`${folder} has no license`);
    }
    return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

switch (process.argv[2]) {
  case undefined: {
    const { metafile } = await build({
      ...common,
      entryPoints: { extension: 'src/extension.ts', markdown: 'src/results/worker.ts' },
      outdir: 'dist',
      external: ['vscode'],
      minify: true,
      sourcemap: false,
      metafile: true,
      legalComments: 'none',
      // The language client only needs it for file operations and notebooks, which the daemon does not
      // have.
      alias: { ...common.alias, minimatch: './src/no-minimatch.ts' },
    });
    writeFileSync('dist/NOTICES.txt', licenses(Object.keys(metafile.inputs)));
    break;
  }
  case 'unit':
    // Without vscode: what a unit test reaches imports only types of it.
    rmSync('dist/test/unit', { recursive: true, force: true }); // tests that are no longer there would run on
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
