#!/usr/bin/env node
// Writes the bill of materials of a program as CycloneDX: the Go and the modules that the go command
// recorded in it, and the packages of npm in the extension for VS Code that it carries. GoReleaser
// runs it (.goreleaser.yaml). Two runs write the same bytes: DATE is that of the commit, and there is
// no serial number.
//
// Usage: sbom.mjs VERSION DATE PROGRAM FILE

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'

const [version, timestamp, program, file] = process.argv.slice(2)
const read = (path) => readFileSync(new URL(`../extensions/vscode/${path}`, import.meta.url), 'utf8')

const info = JSON.parse(execFileSync('go', ['version', '-m', '-json', program], { encoding: 'utf8' }))

const component = (type, purl, name, version, more) => ({ type, 'bom-ref': purl, name, version, purl, ...more })
const module = ({ Path, Version, Replace }) => {
  const { Path: name, Version: version } = Replace ?? { Path, Version }
  return component('library', `pkg:golang/${name.toLowerCase()}@${version}`, name, version)
}
const hex = (base64) => Buffer.from(base64, 'base64').toString('hex')


// The notices name what is really in the bundle, less than the lock file has.
const notices = read('dist/NOTICES.txt')
const npm = Object.entries(JSON.parse(read('package-lock.json')).packages)
  .map(([path, entry]) => ({ name: path.replace(/^.*node_modules\//, ''), ...entry }))
  .filter(({ name, version }) => notices.includes(`${name} ${version}\n`))
const components = [
  module({ Path: 'std', Version: info.GoVersion.replace(/^go/, '') }),
  ...info.Deps.map(module),
  ...npm.map(({ name, version, integrity, license }) =>
    component('library', `pkg:npm/${name.replace('@', '%40')}@${version}`, name, version, {
      hashes: [{ alg: 'SHA-512', content: hex(integrity.replace('sha512-', '')) }],
      licenses: [{ license: { id: license } }],
    }),
  ),
]
const self = component('application', `pkg:golang/${info.Main.Path}@${version}#cmd/mcp-editord`, 'mcp-editord', version, {
  hashes: [{ alg: 'SHA-256', content: createHash('sha256').update(readFileSync(program)).digest('hex') }],
  licenses: [{ license: { id: 'Apache-2.0' } }],
  properties: info.Settings.filter(({ Key }) => /^(GO|CGO)/.test(Key)).map(({ Key, Value }) => ({ name: `go:${Key}`, value: Value })),
})
const bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: { timestamp, component: self },
  components,
  dependencies: [{ ref: self['bom-ref'], dependsOn: components.map((each) => each['bom-ref']) }],
}
writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`)
