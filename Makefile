# The commands of the house. `make run` and `make test` need nothing but Python 3.11+ beforehand:
# everything else goes into .venv/ and .engines/ in this checkout, pinned by the lock files.
.DEFAULT_GOAL := help
BIN := .venv/bin
RUNTIME := .venv/.runtime
DEV := .venv/.dev
BUILT := greenroom/api/web/built/index.html
MODULES := web/node_modules/.package-lock.json
WEB_SOURCES := $(shell find web/src web/public -type f) $(wildcard web/*.ts web/*.js web/*.html)
WORKERS ?= 2
RESOLVE := uv pip compile --no-config --universal --python-version 3.11 --generate-hashes \
	--no-annotate --no-emit-index-url --custom-compile-command "make lock" --quiet --upgrade
COMPILE := $(RESOLVE) pyproject.toml --group build

.PHONY: help run web test check format soak soak-messaging soak-pipelining soak-verdicts torture bench-store bench-growth bench-chat bench-dynamo bench-sockets bench-connections bench-web screenshots docs lock clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 20

run: $(RUNTIME) ## set up, serve with sample people and data, and say where to look
	@scripts/with_node "The web app is not built" $(MAKE) -s web
	@$(BIN)/greenroom demo

web: $(BUILT) ## build the web app into the package (needs Node 20 or newer)

test: $(DEV) ## set up and run all the tests, the engines they need included
	@scripts/with_node "The web app is not tested" $(MAKE) -s web
	PYTHONHASHSEED=0 $(BIN)/pytest -n $(WORKERS) # all workers write a set in the same order

check: $(DEV) ## ruff, mypy --strict, the order of imports; svelte-check where Node is
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@scripts/with_node "The web app is not checked" $(MAKE) -s $(MODULES)
	@scripts/with_node "" npm run --silent --prefix web check

format: $(DEV) ## let ruff put the code in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

soak: $(DEV) ## the random sequences against both store engines, until it is stopped
	$(BIN)/python -m tests.soak

soak-messaging: $(DEV) ## random people against the plain model of messaging; until it is stopped
	$(BIN)/python -m tests.soak_messaging

soak-pipelining: $(DEV) ## clients that send without waiting, on a store that is slow and fails; until it is stopped
	$(BIN)/python -m tests.soak_pipelining

soak-verdicts: $(DEV) ## random texts, judged quickly and by every rule; until it is stopped
	$(BIN)/python -m tests.soak_verdicts

torture: $(DEV) ## five minutes of kills, pauses and failures under people who never stop sending
	$(BIN)/python -m tests.torture --seconds 300 --kills 100
	$(BIN)/python -m tests.torture.power_cuts --seconds 120 --cuts 40

bench-store: $(DEV) ## the item store against the emulators and against bare sqlite3
	$(BIN)/python -m bench.store

bench-growth: $(DEV) ## send, inbox and history with 1,000 and 10,000 times as much there
	$(BIN)/python -m bench.growth

bench-chat: $(DEV) ## messages between connected users, next to ejabberd, Prosody and Synapse; BEFORE=COMMIT
	$(BIN)/python -m bench.chat $(if $(BEFORE),--before $(BEFORE))

bench-dynamo: $(DEV) ## messages on a stand-in for DynamoDB and on SQLite: rate, CPU, calls; BEFORE=COMMIT
	$(BIN)/python -m bench.dynamo $(if $(BEFORE),--before $(BEFORE))

bench-sockets: $(DEV) ## the socket next to the WebSockets of ASGI servers: echoes per second
	$(BIN)/python -m bench.sockets

bench-connections: $(DEV) ## ten thousand open sockets: what each takes, and what others feel of it
	$(BIN)/python -m bench.connections

bench-web: $(DEV) web ## a first visit to the web app, and a conversation of 50,000 messages
	$(BIN)/python -m bench.web

screenshots: $(DEV) web ## every page of the web app, light and dark, desk and phone, into docs/screenshots/
	$(BIN)/python -m tests.web.screenshots

docs: $(DEV) ## write the generated parts of docs/ and the web app's types anew
	$(BIN)/python -m scripts.generate_docs
	@scripts/with_node "web/src/client/openapi.d.ts stays as it is" $(MAKE) -s $(MODULES)
	@$(BIN)/python -m scripts.openapi_document | scripts/with_node "" npm run --silent --prefix web types

lock: ## resolve the dependencies anew (needs uv)
	$(COMPILE) --output-file requirements.lock
	$(COMPILE) --extra dev --constraint requirements.lock --output-file requirements-dev.lock
	cd scripts/engines && $(RESOLVE) synapse.in --output-file synapse.lock
	cd scripts/engines && $(RESOLVE) asgi_sockets.in --output-file asgi_sockets.lock
	cd scripts/engines && rm -f package-lock.json && \
		npm install --package-lock-only --ignore-scripts --omit-lockfile-registry-resolved
	cd web && rm -f package-lock.json && \
		npm install --package-lock-only --ignore-scripts --omit-lockfile-registry-resolved

clean: ## remove what make has set up; data/ stays
	rm -rf web/node_modules web/.tests greenroom/api/web/built
	rm -rf .venv .engines .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache *.egg-info

$(RUNTIME): requirements.lock pyproject.toml scripts/setup
	@scripts/setup requirements.lock $@

$(DEV): requirements-dev.lock pyproject.toml scripts/setup
	@scripts/setup requirements-dev.lock $@

$(MODULES): web/package.json web/package-lock.json
	@echo "Installing web/package-lock.json into web/node_modules"
	@npm ci --prefix web --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
	@touch $@

$(BUILT): $(MODULES) $(WEB_SOURCES)
	@echo "Building the web app"
	@npm run --silent --prefix web build -- --logLevel warn
