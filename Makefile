# Everything that is downloaded or installed goes under .tools, which git
# ignores. Needed: Go as go.mod says, and Node 20 with npm for the servers that the
# tests talk to and for the conformance suite of MCP. The race detector also wants a C
# compiler.

BINARY  := bin/mcp-editord
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

RACE := $(if $(filter 1,$(shell go env CGO_ENABLED)),-race)

# Where the tests find the real MCP servers of npm; those written in Go are in ../bin.
export MCP_EDITORD_TEST_SERVERS := $(CURDIR)/.tools/servers/node_modules

.DEFAULT_GOAL := help
.PHONY: help build run test conformance lint bench tools servers suite ci clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## Build bin/mcp-editord
	go build -trimpath -ldflags '-X main.version=$(VERSION)' -o $(BINARY) ./cmd/mcp-editord

run: build ## Show what the daemon does, step by step
	go run ./internal/demo -binary $(BINARY)

test: servers conformance ## Run all tests, with the race detector where there is a C compiler
	@test -n "$(RACE)" || echo "there is no C compiler: the tests run without the race detector"
	go test $(RACE) ./...
	go test $(RACE) -tags jsonrpc2poison ./editorapi/...

conformance: build suite ## Run the client side of MCP's conformance suite through the daemon
	go run ./internal/conformance -binary $(BINARY)

lint: tools ## Check format, vet for Linux, macOS and Windows, and staticcheck
	scripts/lint.sh

bench: build servers ## Compare calls through the daemon with direct ones
	go build -o bin/fakeserver ./internal/testkit/fakeserver/cmd/fakeserver
	go run ./internal/bench

tools: ## Install the linters into .tools/bin
	@scripts/install-tools.sh

servers: ## Install the MCP servers of the tests into .tools/servers
	@scripts/install-servers.sh

suite: ## Install MCP's conformance suite into .tools/conformance
	@scripts/install-conformance.sh

ci: ## Do what is done for every change: lint and test
	.ci/run

clean: ## Remove what was built and installed
	rm -rf bin .tools
