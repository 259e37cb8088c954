// Writes what follows from the sources:
//
//     node doc.mjs           writes
//     node doc.mjs --check   fails when something has drifted
//
// l10n/bundle.l10n.json gets the strings of the sources, for translators (VS Code, "vscode.l10n"), and
// docs/vscode.md the text between a line `<!-- settings -->` or `<!-- commands -->` and the next
// `<!-- end -->`. It also checks that every key of package.nls.json exists and is used, and that
// translations have all strings, with the same placeholders.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const checking = process.argv[2] === '--check';
const problems = [];

const read = (path) => readFileSync(join(here, path), 'utf8');
const manifestText = read('package.json');
const manifest = JSON.parse(manifestText);
const texts = JSON.parse(read('package.nls.json'));

/** Puts the text into the file, or notes that the file differs. */
function keep(path, text) {
  const file = join(here, path);
  if ((existsSync(file) ? readFileSync(file, 'utf8') : '') === text) {
    return;
  }
  if (checking) {
    problems.push(`${path} has drifted from the sources: run make doc`);
  } else {
    writeFileSync(file, text);
  }
}

/** The strings of the sources: the first argument of each t(…), which must be one literal. */
function strings() {
  const found = new Set();
  for (const path of readdirSync(join(here, 'src'), { recursive: true }).filter((p) => p.endsWith('.ts'))) {
    for (const [call, literal] of read(join('src', path)).matchAll(
      /(?<![\w$])t\(\s*('(?:[^'\\\n]|\\['\\])*'(?=\s*[,)]))?/g,
    )) {
      if (literal) {
        found.add(literal.slice(1, -1).replace(/\\(.)/g, '$1'));
      } else {
        problems.push(`src/${path}: the first argument of ${call.trim()}…) is not one literal in single quotes`);
      }
    }
  }
  return Object.fromEntries([...found].sort().map((text) => [text, text]));
}

/** Checks that a translation has the same keys, and in each text the same placeholders, links and icons. */
function checkTranslation(path, original) {
  const translated = JSON.parse(read(path));
  const marks = (text) =>
    (text.match(/\{\d+\}|\$\([\w~-]+\)|\(command:[\w.]+\)|<keybinding:[\w.]+>|\n/g) ?? []).sort().join();
  for (const [key, text] of Object.entries(original)) {
    if (!(key in translated)) {
      problems.push(`${path}: there is no "${key}"`);
    } else if (marks(translated[key]) !== marks(text)) {
      problems.push(`${path}: "${key}" has not the placeholders of the original`);
    }
  }
  for (const key of Object.keys(translated)) {
    if (!(key in original)) {
      problems.push(`${path}: "${key}" is used nowhere`);
    }
  }
}

function checkKeys() {
  const used = new Set([...manifestText.matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key));
  for (const key of used) {
    if (!texts[key]) {
      problems.push(`package.nls.json: there is no "${key}"`);
    }
  }
  for (const key of Object.keys(texts)) {
    if (!used.has(key)) {
      problems.push(`package.nls.json: "${key}" is used nowhere`);
    }
  }
}

const localised = (text) => texts[text.slice(1, -1)] ?? text;
const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function settings() {
  const rows = Object.entries(manifest.contributes.configuration.properties).map(([name, s]) => {
    const values = s.enum?.map((v, i) => `\`${v}\`: ${localised(s.enumDescriptions[i])}`).join(' ') ?? '';
    return `| \`${name}\` | \`${JSON.stringify(s.default)}\` | ${cell(`${localised(s.markdownDescription)} ${values}`.trim())} |`;
  });
  return ['| setting | default | |', '|---|---|---|', ...rows];
}

function commands() {
  const rows = manifest.contributes.commands.map(
    (c) => `| \`${c.category}: ${localised(c.title)}\` | \`${c.command}\` |`,
  );
  return ['| command | id |', '|---|---|', ...rows];
}

/** Puts the generated parts into the documentation. */
function documentation(text) {
  return Object.entries({ settings, commands }).reduce((whole, [name, make]) => {
    const [begin, end] = [`<!-- ${name} -->\n`, '<!-- end -->'];
    const from = whole.indexOf(begin) + begin.length;
    const to = whole.indexOf(end, from);
    if (from < begin.length || to < 0) {
      problems.push(`docs/vscode.md has no part ${name}`);
      return whole;
    }
    return (
      whole.slice(0, from) +
      make()
        .map((row) => `${row}\n`)
        .join('') +
      whole.slice(to)
    );
  }, text);
}

const bundle = strings();
keep('l10n/bundle.l10n.json', `${JSON.stringify(bundle, null, 2)}\n`);
keep('../../docs/vscode.md', documentation(read('../../docs/vscode.md')));
checkKeys();
for (const path of readdirSync(here).filter((p) => /^package\.nls\..+\.json$/.test(p))) {
  checkTranslation(path, texts);
}
for (const path of readdirSync(join(here, 'l10n')).filter((p) => /^bundle\.l10n\..+\.json$/.test(p))) {
  checkTranslation(join('l10n', path), bundle);
}
for (const problem of problems) {
  console.error(problem);
}
process.exitCode = problems.length > 0 ? 1 : 0;
