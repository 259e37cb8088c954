#!/usr/bin/env node
// Writes the hash of our modules into flake.nix: Nix wants to know what it will download. It is that
// of the folder of `go mod vendor`, as an archive of Nix. Run it when go.mod changes; with --check it
// only compares, for `make lint`.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const root = new URL('..', import.meta.url)
const flake = new URL('flake.nix', root)

// Returns the parts of a file or a folder in such an archive. No vendored file is a link or can be run.
function* parts(file) {
  yield* ['(', 'type']
  if (fs.statSync(file).isDirectory()) {
    yield 'directory'
    for (const name of fs.readdirSync(file).sort()) {
      yield* ['entry', '(', 'name', name, 'node', ...parts(path.join(file, name)), ')']
    }
  } else {
    yield* ['regular', 'contents', fs.readFileSync(file)]
  }
  yield ')'
}

const work = fs.mkdtempSync(path.join(tmpdir(), 'vendor-'))
const hash = createHash('sha256')
try {
  const vendor = path.join(work, 'vendor')
  execFileSync('go', ['mod', 'vendor', '-o', vendor], { cwd: root, stdio: 'inherit' })
  for (const part of ['nix-archive-1', ...parts(vendor)]) {
    // Its length, its bytes, and zeros up to a multiple of eight.
    const bytes = Buffer.from(part)
    const length = Buffer.alloc(8)
    length.writeBigUInt64LE(BigInt(bytes.length))
    hash.update(length).update(bytes).update(Buffer.alloc(-bytes.length & 7))
  }
} finally {
  fs.rmSync(work, { recursive: true })
}

const before = fs.readFileSync(flake, 'utf8')
const after = before.replace(/vendorHash = ".*"/, `vendorHash = "sha256-${hash.digest('base64')}"`)
if (process.argv[2] !== '--check') {
  fs.writeFileSync(flake, after)
} else if (before !== after) {
  console.error('flake.nix has the hash of other modules; run scripts/vendor-hash.mjs')
  process.exitCode = 1
}
