# Downloads and installations go under .tools, which git ignores. You need the Go
# that go.mod names, and Node 20 with npm for the servers that the tests talk to
# and for MCP's conformance suite. The race detector also needs a C compiler.

BINARY  := bin/mcp-editord
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

RACE := $(if $(filter 1,$(shell go env CGO_ENABLED)),-race)

# Where the tests find the real MCP servers from npm; those written in Go are in ../bin.
export MCP_EDITORD_TEST_SERVERS := $(CURDIR)/.tools/servers/node_modules

# Where the tests find a keyring. Where there is Debian they demand it; elsewhere they leave it out.
export MCP_EDITORD_TEST_KEYRING := $(if $(shell grep -sx ID=debian /etc/os-release),$(CURDIR)/.tools/keyring)

# Where test-editors finds plain editors.
EDITORS := $(CURDIR)/.tools/editors/bin

# It exists when the extension's dependencies are installed.
VSCODE_MODULES := extensions/vscode/node_modules/.package-lock.json

GO_BUILD := go build -trimpath -ldflags '-X main.version=$(VERSION)'

# The extension without a program in it. bin/mcp-editord carries it for `mcp-editord
# install vscode` if there was npm to build it.
VSIX := $(if $(shell command -v npm),extensions/vscode/dist/mcp-editord.vsix)
VSIX_SOURCES := $(shell find extensions/vscode -name node_modules -prune -o -name dist -prune -o -name test -prune -o -type f -print)

.DEFAULT_GOAL := help
.PHONY: help build vsix release neovim-tree run check race test test-go test-editors test-nvim test-vscode test-vsix conformance doc picture pictures-vscode doc-check lint bench bench-quick tools servers agents hub suite editors nvim keyring vscode ci clean FORCE

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: $(VSIX) ## Build bin/mcp-editord
	$(GO_BUILD) $(if $(VSIX),-tags vsix) -o $(BINARY) ./cmd/mcp-editord

$(VSIX): $(VSCODE_MODULES) $(VSIX_SOURCES) CHANGELOG.md LICENSE scripts/vsix.sh extensions/vscode/dist/.version
	cd extensions/vscode && npm run --silent build
	scripts/vsix.sh $(VERSION) $@

# It changes only when the version does.
extensions/vscode/dist/.version: FORCE
	@mkdir -p $(@D)
	@echo $(VERSION) | cmp -s - $@ || echo $(VERSION) >$@

vsix: $(VSIX) ## Package the VS Code extension for each platform, into dist/
	scripts/vsix.sh $(VERSION)

release: ## Build all that a release has into dist/, and publish nothing
	@scripts/install-goreleaser.sh
	scripts/release.sh

neovim-tree: ## Write the plugin for Neovim as a repository of its own into dist/mcp-editord.nvim
	scripts/neovim-tree.sh dist/mcp-editord.nvim

run: ## Show what the daemon does, step by step; needs only Go
	$(GO_BUILD) -o bin/run/ ./cmd/mcp-editord
	go run ./test/demo -binary bin/run/mcp-editord

# Two suites at a time: one waits for its editors while the other computes. The one of a person in a browser is alone.
SUITES := test-go test-nvim test-editors conformance test-vsix
TOGETHER := $(MAKE) --no-print-directory $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

test: ## Run all tests, with the race detector if there is a C compiler
	@$(TOGETHER) -j4 servers suite editors nvim keyring vscode $(VSCODE_MODULES)
	@$(TOGETHER) build race
	@$(MAKE) --no-print-directory test-vscode
	@$(TOGETHER) -j2 $(SUITES)

check: ## Build, vet, run the short tests and those of the promises: a minute, without a network
	go build ./...
	go vet ./...
	go test -short $$(go list ./... | grep -v /test/)
	go test -short ./test/e2e -run Promise

# What the suites of the plugins run.
race:
	go build $(RACE) -o bin/race/ ./cmd/mcp-editord ./test/testkit/fakeserver/cmd/fakeserver ./test/testkit/authserver/cmd/authserver

test-go: servers keyring
	@test -n "$(RACE)" || echo "no C compiler found: running the tests without the race detector"
	go test $(RACE) -timeout 30m -tags jsonrpc2poison ./...

conformance: build suite servers ## Run both sides of MCP's conformance suite through the daemon
	go run ./test/conformance -binary $(BINARY)

test-editors: editors nvim ## Test the daemon in real editors without a plugin (TESTS="-run NAME")
	MCP_EDITORD_TEST_EDITORS=$(EDITORS) go test $(RACE) -count 1 -timeout 15m ./test/editors $(TESTS)

test-nvim: servers nvim race ## Test the plugin in each Neovim in .tools/nvim (TESTS="FILE… --only TEXT")
	scripts/test-nvim.sh $(TESTS)

test-vscode: servers vscode $(VSCODE_MODULES) race ## Test the extension: its logic, then in a real VS Code, then as a user in a browser
	cd extensions/vscode && BIN=bin/race npm test

test-vsix: build vscode $(VSCODE_MODULES) ## Test the result of mcp-editord install vscode in a real VS Code
	node extensions/vscode/test/vsix.mjs

doc: nvim ## Generate from the sources: types, tables, help, strings for translators
	go run ./internal/protocolgen
	scripts/nvim.sh -u NONE -l extensions/neovim/scripts/doc.lua
	node extensions/vscode/doc.mjs

picture: build servers nvim editors ## Draw docs/neovim.svg, docs/helix.svg and docs/first-minute.svg from the screens of a real Neovim, Helix and terminal
	MCP_EDITORD=$(CURDIR)/$(BINARY) scripts/nvim.sh -u NONE -i NONE -l extensions/neovim/scripts/picture.lua docs/neovim.svg
	MCP_EDITORD_TEST_EDITORS=$(EDITORS) MCP_EDITORD_PICTURE=$(CURDIR)/docs/helix.svg MCP_EDITORD_FILM=$(CURDIR)/docs/first-minute.svg \
		go test -count 1 ./test/editors -run 'TestPicture|TestFilm'

pictures-vscode: build vscode $(VSCODE_MODULES) ## Take the screenshots docs/images/vscode-*.png in a real VS Code
	go build -o bin/ ./test/testkit/authserver/cmd/authserver
	cd extensions/vscode && npm run browser -- $(CURDIR)/docs/images

doc-check: nvim ## Check that the files that make doc generates match the sources
	go run ./internal/protocolgen -check
	scripts/nvim.sh -u NONE -l extensions/neovim/scripts/doc.lua --check
	node extensions/vscode/doc.mjs --check

lint: tools doc-check $(VSCODE_MODULES) ## Run gofmt, go vet for Linux, macOS and Windows, staticcheck, StyLua, luacheck, tsc, Biome, npm audit and doc-check
	scripts/lint.sh

bench: build servers hub nvim vscode $(VSCODE_MODULES) ## Measure the daemon into docs/performance.md, and editors with and without their plugin
	go run ./test/bench -write docs/performance.md
	scripts/nvim.sh -u NONE -i NONE -l extensions/neovim/scripts/bench.lua
	@echo
	node extensions/vscode/bench.mjs

bench-quick: build hub ## Measure what has a wall in less than a minute, and write nothing
	go run ./test/bench -quick

tools: ## Install the linters into .tools
	@scripts/install-tools.sh
	@scripts/install-lua-tools.sh

servers: ## Install the MCP servers for the tests into .tools/servers
	@scripts/install-servers.sh

hub: ## Install mcp-hub, which make bench compares with, into .tools/bench
	@scripts/install-hub.sh

agents: ## Install the agents that some tests run, about 1.1 GB, into .tools/agents
	@scripts/install-agents.sh

suite: ## Install MCP's conformance suite into .tools/conformance
	@scripts/install-conformance.sh

editors: ## Install the plain editors for the tests into .tools/editors
	@scripts/install-editors.sh

nvim: ## Install the versions of Neovim for the tests into .tools/nvim
	@scripts/install-nvim.sh

keyring: ## Install the keyring for the tests into .tools/keyring
	@scripts/install-keyring.sh

vscode: ## Install the VS Code for the tests into .tools/vscode
	@scripts/install-vscode.sh

$(VSCODE_MODULES): extensions/vscode/package.json extensions/vscode/package-lock.json
	cd extensions/vscode && ../../scripts/retry.sh npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	touch $@

ci: ## Run the checks for every change: lint and test
	.ci/run

clean: ## Remove everything built or installed
	rm -rf bin dist .tools extensions/vscode/dist extensions/vscode/node_modules
