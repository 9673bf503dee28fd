# `make run` and `make test` need only Python 3.11+:
# everything else is installed into .venv/ and .engines/ in this checkout, pinned by the lock files.
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

.PHONY: help run web vision test check format soak soak-messaging soak-pipelining soak-verdicts soak-cards soak-files torture bench-store bench-growth bench-chat bench-dynamo bench-sockets bench-connections bench-timers bench-cards bench-files bench-web screenshots docs lock clean

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 20

run: $(RUNTIME) ## install, serve with sample data, and print the address
	@scripts/with_node "The web app is not built" $(MAKE) -s web
	@$(BIN)/greenroom demo

web: $(BUILT) ## build the web app into the package (needs Node 20 or newer)

vision: $(DEV) ## build the model that rates pictures into the package (needs Node 20 or newer)
	@scripts/with_node "Pictures are not rated" $(BIN)/python -m scripts.vision

test: $(DEV) ## install and run all tests, with the engines they need
	@scripts/with_node "The web app is not tested" $(MAKE) -s web
	@scripts/run_tests $(WORKERS)

check: $(DEV) ## ruff, mypy --strict, import layers; svelte-check if Node is installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@scripts/with_node "The web app is not checked" $(MAKE) -s $(MODULES)
	@scripts/with_node "" npm run --silent --prefix web check

format: $(DEV) ## format the code with ruff
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

soak: $(DEV) ## random call sequences on both store engines, until stopped
	$(BIN)/python -m tests.soak

soak-messaging: $(DEV) ## random users compared with the reference model of messaging, until stopped
	$(BIN)/python -m tests.soak_messaging

soak-pipelining: $(DEV) ## pipelining clients on a slow and failing store, until stopped
	$(BIN)/python -m tests.soak_pipelining

soak-verdicts: $(DEV) ## random texts: prefiltered verdicts compared with all rules, until stopped
	$(BIN)/python -m tests.soak_verdicts

soak-cards: $(DEV) ## random bookings compared with a plain model, until stopped
	$(BIN)/python -m tests.soak_cards

soak-files: $(DEV) ## 1 GB uploaded to a folder and to S3 through kills, and the memory watched
	$(BIN)/python -m tests.torture.uploads

torture: $(DEV) ## five minutes of kills, pauses and failures while clients keep sending
	$(BIN)/python -m tests.torture --seconds 300 --kills 100
	$(BIN)/python -m tests.torture.power_cuts --seconds 120 --cuts 40

bench-store: $(DEV) ## the item store compared with DynamoDB emulators and hand-written SQLite
	$(BIN)/python -m bench.store

bench-growth: $(DEV) ## send, inbox and history with 1,000 and 10,000 times the data; BEFORE=COMMIT
	$(BIN)/python -m bench.growth $(if $(BEFORE),--before $(BEFORE))

bench-chat: $(DEV) ## messages between users, compared with ejabberd, Prosody and Synapse; BEFORE=COMMIT
	$(BIN)/python -m bench.chat $(if $(BEFORE),--before $(BEFORE))

bench-dynamo: $(DEV) ## messages on a DynamoDB stand-in and on SQLite: rate, CPU, calls; BEFORE=COMMIT
	$(BIN)/python -m bench.dynamo $(if $(BEFORE),--before $(BEFORE))

bench-sockets: $(DEV) ## the socket compared with ASGI WebSockets: echoes per second
	$(BIN)/python -m bench.sockets

bench-connections: $(DEV) ## ten thousand open sockets: memory of each, and latency for others
	$(BIN)/python -m bench.connections

bench-timers: $(DEV) ## how late timers run with 100,000 pending, and what sends lose to them
	$(BIN)/python -m bench.timers

bench-cards: $(DEV) ## transitions of cards next to bare SQL, and 10,000 deadlines at once
	$(BIN)/python -m bench.cards

bench-files: $(DEV) vision ## uploads, downloads, photos, ratings; and what chat pays for them
	$(BIN)/python -m bench.files

bench-web: $(DEV) web ## a first visit to the web app, and a thread of 50,000 messages
	$(BIN)/python -m bench.web

screenshots: $(DEV) web ## every page of the web app, light and dark, desktop and phone, into docs/screenshots/
	$(BIN)/python -m tests.web.screenshots

docs: $(DEV) ## regenerate docs/ and the web app's types
	$(BIN)/python -m scripts.generate_docs
	@scripts/with_node "web/src/client/openapi.d.ts stays as it is" $(MAKE) -s $(MODULES)
	@$(BIN)/python -m scripts.openapi_document | scripts/with_node "" npm run --silent --prefix web types

lock: ## update the lock files (needs uv)
	$(COMPILE) --output-file requirements.lock
	$(COMPILE) --extra dev --extra pades --extra vision --constraint requirements.lock --output-file requirements-dev.lock
	cd scripts/engines && $(RESOLVE) synapse.in --output-file synapse.lock
	cd scripts/engines && $(RESOLVE) asgi_sockets.in --output-file asgi_sockets.lock
	cd scripts/engines && rm -f package-lock.json && \
		npm install --package-lock-only --ignore-scripts --omit-lockfile-registry-resolved --legacy-peer-deps
	cd web && rm -f package-lock.json && \
		npm install --package-lock-only --ignore-scripts --omit-lockfile-registry-resolved

clean: ## remove everything that make installed; data/ stays
	rm -rf web/node_modules web/.tests greenroom/api/web/built greenroom/files/vision/built
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
