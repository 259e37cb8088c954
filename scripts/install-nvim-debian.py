#!/usr/bin/env python3
"""Unpacks programs of a Debian release beside the system, with all libraries they need.

Usage: install-nvim-debian.py PREFIX SUITE PACKAGE PROGRAM

PROGRAM, a path such as usr/bin/nvim, is then PREFIX/bin/NAME. Nothing is installed by apt or dpkg. Packages come from the
mirror that apt uses here, or $MIRROR; their index is held against the release file, whose signature is checked where
gpgv has the key, and each package against the index. The program's loader and library path are set to PREFIX, so
that it stays the process that it is for those it starts. A second run with the same versions does nothing.
"""

import concurrent.futures
import hashlib
import lzma
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request

# What no program needs to run: scripts of packages, init systems, documentation.
SKIP = {
    "adduser", "cdebconf", "debconf", "debconf-2.0", "dpkg", "emacsen-common", "init-system-helpers", "install-info",
    "media-types", "mime-support", "perl", "perl-base", "systemd", "tzdata",
}
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


def fail(message):
    sys.exit(f"install-nvim: {message}")


def mirror():
    if os.environ.get("MIRROR"):
        return os.environ["MIRROR"].rstrip("/")
    out = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Origin: Debian", "Label: Debian"],
        capture_output=True, text=True, check=False).stdout
    for line in out.splitlines():
        if line.strip():
            return line.strip().rstrip("/")
    return fail("there is no Debian mirror among apt's sources; set MIRROR")


def download(url):
    for attempt in range(3):
        try:
            with urllib.request.urlopen(url, timeout=60) as response:
                return response.read()
        except OSError as error:
            problem = error
            time.sleep(2 * attempt + 1)
    return fail(f"{url}: {problem}")


def sha256(data):
    return hashlib.sha256(data).hexdigest()


class Archive:
    """The packages of one suite."""

    def __init__(self, base, suite, arch, cache):
        self.base, self.cache = base, cache
        release = download(f"{base}/dists/{suite}/InRelease")
        self.check_signature(release, suite)
        name = f"main/binary-{arch}/Packages.xz"
        index = download(f"{base}/dists/{suite}/{name}")
        if not re.search(rf"^ {sha256(index)} +\d+ {re.escape(name)}$", release.decode(), re.M):
            fail(f"{name} of {suite} is not the one of its release file")
        self.packages, self.providers = {}, {}
        for paragraph in lzma.decompress(index).decode().split("\n\n"):
            package = dict(re.findall(r"^([A-Za-z0-9-]+): (.*)$", paragraph, re.M))
            if "Package" not in package:
                continue
            self.packages[package["Package"]] = package
            for provided in package.get("Provides", "").split(","):
                self.providers.setdefault(provided.split("(")[0].strip(), []).append(package["Package"])

    def check_signature(self, release, suite):
        if not shutil.which("gpgv") or not os.path.exists(KEYRING):
            print("install-nvim: no gpgv or keyring: the signature is not checked", file=sys.stderr)
            return
        path = os.path.join(self.cache, f"InRelease-{suite}")
        with open(path, "wb") as file:
            file.write(release)
        status = subprocess.run(["gpgv", "--status-fd", "1", "--keyring", KEYRING, path], capture_output=True, text=True, check=False).stdout
        if "BADSIG" in status:
            fail(f"the signature of {suite} is bad")
        if "GOODSIG" not in status:
            print(f"install-nvim: no key of this system signed {suite}", file=sys.stderr)

    def closure(self, roots):
        """The packages that roots need, by name."""
        wanted, queue = {}, list(roots)
        while queue:
            name = queue.pop()
            if name in wanted or name in SKIP:
                continue
            if name not in self.packages:
                fail(f"there is no package {name}")
            wanted[name] = package = self.packages[name]
            for group in ",".join([package.get("Depends", ""), package.get("Pre-Depends", "")]).split(","):
                names = [re.split(r"[\s(:\[]", alternative.strip())[0] for alternative in group.split("|") if alternative.strip()]
                if not names or any(n in wanted or n in SKIP for n in names):
                    continue
                if any(p in wanted for n in names for p in self.providers.get(n, [])):
                    continue
                for n in names:
                    if n in self.packages:
                        queue.append(n)
                        break
                    if n in self.providers:
                        queue.append(sorted(self.providers[n])[0])
                        break
        return wanted

    def fetch(self, package):
        path = os.path.join(self.cache, os.path.basename(package["Filename"]))
        if os.path.exists(path):
            with open(path, "rb") as file:
                if sha256(file.read()) == package["SHA256"]:
                    return path
        data = download(f"{self.base}/{package['Filename']}")
        if sha256(data) != package["SHA256"]:
            fail(f"{package['Filename']} is not the one of the index")
        with open(path, "wb") as file:
            file.write(data)
        return path


def unpack(paths, root):
    shutil.rmtree(root, ignore_errors=True)
    for name in ("bin", "sbin", "lib", "lib64"):  # /bin is /usr/bin, whichever of them a package uses
        os.makedirs(f"{root}/usr/{name}", exist_ok=True)
        os.symlink(f"usr/{name}", f"{root}/{name}")
    for path in paths:
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", path], stdout=subprocess.PIPE) as source:
            subprocess.run(
                ["tar", "-x", "-C", root, "--keep-directory-symlink", "--no-same-owner", "--exclude=./usr/share/doc", "--exclude=./usr/share/locale"],
                stdin=source.stdout, check=True)
        if source.returncode:
            fail(f"{path} cannot be unpacked")


def libraries(root):
    triplets = sorted(name for name in os.listdir(f"{root}/usr/lib") if name.endswith("-linux-gnu"))
    return [f"{root}/usr/lib/{name}" for name in triplets] + [f"{root}/usr/lib"]


def loader(root):
    for directory in ("usr/lib64", "usr/lib"):
        for name in sorted(os.listdir(f"{root}/{directory}")):
            if name.startswith("ld-linux"):
                return f"{root}/{directory}/{name}"
    return fail("the packages have no ld-linux")


def main(prefix, suite, package, program):
    prefix = os.path.realpath(prefix)
    cache = os.path.join(prefix, "packages")
    os.makedirs(cache, exist_ok=True)
    arch = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout.strip()
    archive = Archive(mirror(), suite, arch, cache)
    wanted = archive.closure([package])
    tool = archive.closure(["patchelf"])
    manifest = prefix + "\n" + "".join(f"{name} {wanted[name]['SHA256']}\n" for name in sorted(wanted))
    stamp = os.path.join(prefix, "manifest")
    if os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as file:
            if file.read() == manifest:
                return
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(archive.fetch, wanted.values()))
        tools = list(pool.map(archive.fetch, tool.values()))
    root, workshop = os.path.join(prefix, "root"), os.path.join(prefix, "tool")
    unpack(paths, root)
    unpack(tools, workshop)
    real = os.path.realpath(f"{root}/{program}")
    if not real.startswith(root):  # an absolute link, as of alternatives
        real = root + os.readlink(f"{root}/{program}")
    subprocess.run(
        [loader(workshop), "--library-path", ":".join(libraries(workshop)), f"{workshop}/usr/bin/patchelf",
         "--set-interpreter", loader(root), "--force-rpath", "--set-rpath", ":".join(libraries(root)), real], check=True)
    shutil.rmtree(workshop)
    os.makedirs(f"{prefix}/bin", exist_ok=True)
    link = f"{prefix}/bin/{os.path.basename(program)}"
    if os.path.lexists(link):
        os.remove(link)
    os.symlink(os.path.relpath(f"{root}/{program}", f"{prefix}/bin"), link)
    for name in os.listdir(f"{root}/usr/lib"):  # where Neovim looks for its parsers when it is not in /usr
        if os.path.isdir(f"{root}/usr/lib/{name}/nvim") and not os.path.lexists(f"{root}/usr/lib/nvim"):
            os.symlink(f"{name}/nvim", f"{root}/usr/lib/nvim")
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(manifest)
    print(f"{package} {archive.packages[package]['Version']} is in {prefix}")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        fail(__doc__)
    main(*sys.argv[1:])
