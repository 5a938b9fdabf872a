# Daily work: make test, make lint, make demo. `make help` lists all.

GO        ?= go
BIN       := bin/hocket
DEMO      := testdata/demo
SETUP     := . scripts/setup.sh &&

.DEFAULT_GOAL := help
.PHONY: help setup build demo demo-plain bench test test-editors vsix lint cross clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## Install what is missing (Go); does nothing when all is there
	@$(SETUP) $(GO) version

build: ## Build bin/hocket
	@$(SETUP) $(GO) build -o $(BIN) ./cmd/hocket

demo: build ## Find, replay and explain the bug of the example in testdata/demo
	@$(SETUP) scripts/demo.sh $(BIN) $(DEMO)

demo-plain: ## Run the example's test 10,000 times the ordinary way
	@$(SETUP) cd $(DEMO) && $(GO) test -count=10000 .

bench: build ## Schedules a minute, and what a run costs against plain and -race
	@$(SETUP) $(GO) run ./bench/rate -n 200 -test TestReapWhileInUse $(DEMO)

test: ## Run all tests
	@$(SETUP) scripts/test.sh

test-editors: ## Run Hocket in real editors, headless; installs them
	@$(SETUP) scripts/test-editors.sh

vsix: ## Pack the extension for VS Code into bin/hocket.vsix
	@scripts/vsix.sh

lint: ## gofmt, go vet, staticcheck and the tidiness of go.mod
	@$(SETUP) scripts/lint.sh

cross: ## Check that the other platforms compile
	@$(SETUP) for p in linux/arm64 darwin/arm64; do \
	  echo "$$p"; GOOS=$${p%/*} GOARCH=$${p#*/} CGO_ENABLED=0 $(GO) build -o /dev/null ./... || exit 1; done

clean: ## Remove what was built
	rm -rf bin $(DEMO)/.hocket
