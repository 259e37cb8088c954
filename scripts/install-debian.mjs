#!/usr/bin/env node
// Unpacks programs of a Debian release beside the system, with all libraries they need.
//
// Usage: install-debian.mjs PREFIX SUITE PACKAGE PROGRAM[,PROGRAM…] [PACKAGE…]
//
// SUITE is a release of Debian such as trixie, or of Ubuntu such as ubuntu/resolute.
// PROGRAM is a path such as usr/bin/nvim. The script makes it PREFIX/bin/NAME, and
// unpacks the other packages beside it in PREFIX/root. apt does the downloads,
// in PREFIX with a configuration of its own: it checks
// the signature of the release and the hash of each download, finds the dependencies,
// and tries again. The downloads stay there. The script
// installs nothing in the system, so it needs no root. A second run with the same
// versions unpacks nothing.
//
// The script pins no version and no hash, on purpose: a mirror has only the newest
// version of a package in a release, so a pin would fail with Debian's next update. It accepts
// what Debian has signed, with the keys of the system. apt checks the signature of the release
// with them; the release has the hashes of the lists, and the lists have the hashes of the packages.
// The keys of Ubuntu are a package of Debian.
//
// You need Node 20, and apt-get, bash, dpkg-deb and tar, which every Debian has. Set $MIRROR
// to use another mirror of Debian than the one in the system's sources, and $UBUNTU_MIRROR
// for Ubuntu.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import path from 'node:path'

// Where every release of Debian has the keys of its archive.
const debianKeys = '/usr/share/keyrings/debian-archive-keyring.gpg'

// The release of Debian whose package of Ubuntu's keys is used, and where they are in it.
const ubuntuKeys = { suite: 'trixie', name: 'ubuntu-keyring', file: 'usr/share/keyrings/ubuntu-archive-keyring.gpg' }

// A Failure's message is for the user; any other error is a bug in this script.
class Failure extends Error {}

// Runs a program and returns its output, at most 16 MiB; its errors go to stderr.
function run(program, ...args) {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 16 << 20 })
  } catch (error) {
    if (error.code === 'ENOENT') {
      throw new Failure(`${program} is not in PATH; run this on a Debian system`)
    }
    throw new Failure(`${program} failed (${error.signal ?? error.status ?? error.code}); see its output above`)
  }
}

// Returns the mirror in the system's sources: the first that has a release under its
// plain name. Mirrors for updates, security and other vendors rarely do.
// `apt-get indextargets` knows it only after an update; this command needs none.
function mirror() {
  if (process.env.MIRROR) {
    return process.env.MIRROR.replace(/\/+$/, '')
  }
  const found = run('apt-get', 'update', '--print-uris').match(/^'(.+)\/dists\/[a-z]+\/InRelease'/m)
  if (!found) {
    throw new Failure('the sources of apt have no Debian mirror; set MIRROR to the address of one')
  }
  return found[1]
}

// Returns where the packages of a suite are, and the keys that have signed them.
function source(prefix, suite) {
  const [distribution, release] = suite.includes('/') ? suite.split('/') : ['debian', suite]
  if (distribution === 'debian') {
    return { keys: debianKeys, mirror: mirror(), release, components: 'main' }
  }
  if (distribution !== 'ubuntu') {
    throw new Failure(`${distribution} is not known; SUITE is a release of Debian, or ubuntu/RELEASE`)
  }
  const address = process.env.UBUNTU_MIRROR
  if (!address) {
    throw new Failure('set UBUNTU_MIRROR to the address of a mirror of Ubuntu')
  }
  return { keys: fetchUbuntuKeys(path.join(prefix, 'keys')), mirror: address, release, components: 'main universe' }
}

// Unpacks the keys of Ubuntu, which Debian has signed. Returns their path.
function fetchUbuntuKeys(directory) {
  fs.mkdirSync(directory, { recursive: true })
  const get = apt(directory, ubuntuKeys.suite)
  get('update')
  const packages = wanted(get, ubuntuKeys.name)
  removeDamaged(directory, packages)
  get('install', '--yes', '--download-only', ubuntuKeys.name)
  const root = path.join(directory, 'root')
  unpack(packages.map((each) => path.join(archives(directory), each.name)), root)
  return path.join(root, ubuntuKeys.file)
}

// Sets up an apt that knows one suite and has nothing installed. Returns a function
// that runs its apt-get.
function apt(prefix, suite) {
  const home = path.join(prefix, 'apt')
  fs.mkdirSync(home, { recursive: true })
  const { keys, mirror, release, components } = source(prefix, suite)
  // signed-by: apt refuses a mirror without the signature of the distribution.
  // target: only the packages, no translations or other metadata.
  fs.writeFileSync(path.join(home, 'sources.list'), `deb [signed-by=${keys} target=Packages] ${mirror} ${release} ${components}\n`)
  // Nothing is installed. apt also puts its lock beside this file.
  fs.writeFileSync(path.join(home, 'status'), '')
  // apt reads it after the system's configuration, which may name a proxy, and may accept
  // less than a signature. Without a sandbox user, apt can write where only this user
  // can. The hooks that the system runs around an update are for its own lists and caches.
  const config = path.join(home, 'apt.conf')
  fs.writeFileSync(
    config,
    `Dir::State "${home}/state";
Dir::State::status "${home}/status";
Dir::Cache "${home}/cache";
Dir::Cache::archives "${archives(prefix)}";
Dir::Etc::SourceList "${home}/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
APT::Install-Recommends "false";
APT::Sandbox::User "";
APT::Update::Error-Mode "any";
APT::Get::AllowUnauthenticated "false";
Acquire::AllowInsecureRepositories "false";
Acquire::AllowWeakRepositories "false";
Acquire::AllowDowngradeToInsecureRepositories "false";
Acquire::ForceHash "SHA256";
Acquire::Retries "3";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
`,
  )
  for (const directory of [path.join(home, 'state'), path.join(home, 'cache'), archives(prefix)]) {
    fs.mkdirSync(directory, { recursive: true })
  }
  return (...args) => run('apt-get', '-c', config, '-qq', ...args)
}

function archives(prefix) {
  return path.join(prefix, 'packages')
}

// Returns the packages that apt would download if it had none, as {name, sha256}, by
// the names of their files. apt prints lines of `'ADDRESS' NAME SIZE SHA256:HASH`.
function wanted(get, ...names) {
  const list = get('install', '--print-uris', '-o', 'Dir::Cache::archives=/nonexistent', ...names)
  return list.trimEnd().split('\n').map((line) => {
    const [, name, sha256] = line.match(/^'.+' (\S+) \d+ SHA256:([0-9a-f]{64})$/) ?? []
    if (!sha256) {
      throw new Failure(`apt printed no SHA-256 for a package: ${line}`)
    }
    return { name, sha256 }
  })
}

// Removes damaged packages of an earlier run: apt checks only the size of a file that is
// already there.
function removeDamaged(prefix, packages) {
  for (const { name, sha256 } of packages) {
    const file = path.join(archives(prefix), name)
    if (fs.existsSync(file) && createHash('sha256').update(fs.readFileSync(file)).digest('hex') !== sha256) {
      fs.rmSync(file)
    }
  }
}

// Unpacks packages into a new directory.
function unpack(paths, root) {
  fs.rmSync(root, { recursive: true, force: true })
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
    // /bin is /usr/bin, whichever one a package uses.
    fs.mkdirSync(path.join(root, 'usr', name), { recursive: true })
    fs.symlinkSync(path.join('usr', name), path.join(root, name))
  }
  // dpkg-deb -x would replace such a link with a directory. Without translations, the
  // program speaks English whatever the language of the system.
  const options = '--keep-directory-symlink --no-same-owner --exclude=./usr/share/doc --exclude=./usr/share/locale'
  const script = `set -o pipefail; dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" ${options}`
  for (const file of paths) {
    run('bash', '-c', script, 'unpack', file, root)
  }
}

// Sets the loader and the library path of a program in fresh to where they will be when
// fresh has become root. So the program needs no LD_LIBRARY_PATH, which the programs that it
// starts would inherit.
function patch(fresh, root, program) {
  const file = path.join(fresh, program)
  if (!fs.lstatSync(file, { throwIfNoEntry: false })?.isFile()) {
    throw new Failure(`${program} is not a file in the packages; name the file itself, not a link`)
  }
  const triplet = fs.readdirSync(path.join(fresh, 'usr/lib')).find((name) => name.includes('-linux-gnu'))
  const lib = path.join('usr/lib', triplet)
  // The file itself: the link to it in lib64 may lead to the system's loader, which
  // does not fit the libc of the packages.
  const found = fs.readdirSync(path.join(fresh, lib))
  const loader = path.join(lib, found.find((name) => name.startsWith('ld-linux')))
  const libraries = (base) => [path.join(base, lib), path.join(base, 'usr/lib')].join(':')
  run(
    ...[path.join(fresh, loader), '--library-path', libraries(fresh), path.join(fresh, 'usr/bin/patchelf')],
    ...['--set-interpreter', path.join(root, loader), '--force-rpath', '--set-rpath', libraries(root)],
    file,
  )
  // Neovim looks for its parsers in usr/lib/nvim when it is not in /usr.
  const parsers = path.join(fresh, 'usr/lib/nvim')
  if (fs.existsSync(path.join(fresh, lib, 'nvim')) && !fs.existsSync(parsers)) {
    fs.symlinkSync(path.join(triplet, 'nvim'), parsers)
  }
}

function install(directory, suite, name, list, ...others) {
  const programs = list.split(',')
  const names = [name, 'patchelf', ...others]
  fs.mkdirSync(directory, { recursive: true })
  const prefix = fs.realpathSync(directory)
  const get = apt(prefix, suite)
  get('update')
  const packages = wanted(get, ...names)
  const links = programs.map((program) => path.join(prefix, 'bin', path.basename(program)))
  const manifest = path.join(prefix, 'manifest')
  // The patched programs contain the prefix, so moved ones are made anew.
  const want = [prefix, suite, ...programs, ...packages.map(({ name, sha256 }) => `${name} ${sha256}`), ''].join('\n')
  if (links.every((link) => fs.existsSync(link)) && fs.existsSync(manifest) && fs.readFileSync(manifest, 'utf8') === want) {
    return
  }
  removeDamaged(prefix, packages)
  get('install', '--yes', '--download-only', ...names)
  const root = path.join(prefix, 'root')
  const fresh = `${root}.new`
  const paths = packages.map((each) => path.join(archives(prefix), each.name))
  unpack(paths, fresh)
  for (const program of programs) {
    patch(fresh, root, program)
  }
  fs.rmSync(manifest, { force: true })
  fs.rmSync(root, { recursive: true, force: true })
  fs.renameSync(fresh, root)
  fs.mkdirSync(path.join(prefix, 'bin'), { recursive: true })
  for (const [i, program] of programs.entries()) {
    fs.rmSync(links[i], { force: true })
    fs.symlinkSync(path.join('..', 'root', program), links[i])
  }
  fs.writeFileSync(manifest, want)
  console.log(`unpacked ${packages.find((each) => each.name.startsWith(name + '_')).name} from ${suite} in ${prefix}`)
}

try {
  const args = process.argv.slice(2)
  if (args.length < 4) {
    throw new Failure('usage: install-debian.mjs PREFIX SUITE PACKAGE PROGRAM[,PROGRAM…] [PACKAGE…]')
  }
  install(...args)
} catch (error) {
  if (!(error instanceof Failure)) {
    throw error
  }
  console.error(`install-debian: ${error.message}`)
  process.exitCode = 1
}
