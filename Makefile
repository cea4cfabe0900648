# Demo, tests and benchmarks. Every target calls the pipeline command line.
SHELL := /bin/sh
.DEFAULT_GOAL := help

# Relative paths, because the checkout's path may have spaces or quotes.
BIN := node_modules/.bin
# The variable makes hints name make targets.
PIPELINE = $(BIN)/node cli/main.ts
INSTALLED := node_modules/.package-lock.json

DAYS ?= 7
SEED ?= 1
RATE ?= 30
LIMIT ?= 0
SEED_SOAK ?= 1
N ?=
# Not from the environment: some shells set NAME.
NAME :=
ANSWER ?=
FILE ?=

include $(wildcard make/*.mk)

# make ignores a variable that no target reads, such as days=1.
GIVEN := $(foreach one_of,$(.VARIABLES),$(if $(filter command,$(origin $(one_of))),$(one_of)))
REFUSAL := $(if $(GIVEN),$(shell sh scripts/refuse-variables.sh "$(GIVEN)" $(MAKEFILE_LIST)))
$(if $(REFUSAL),$(error $(REFUSAL)))

.DEFAULT:
	@echo 'error: there is no target $@' >&2; echo '  hint: run make help, or make help-all' >&2; exit 2

.PHONY: help
help: ## Start: List the first targets
	@sh scripts/help.sh Start $(MAKEFILE_LIST)

.PHONY: help-all
help-all: ## Start: List all targets
	@sh scripts/help.sh "Start Stack Data Monitoring Development" $(MAKEFILE_LIST)

$(INSTALLED): package.json package-lock.json
	@sh scripts/install.sh

.PHONY: install
install: $(INSTALLED) ## Start: Install the dependencies; other targets do so when needed

.PHONY: demo
demo: $(INSTALLED) ## Start: Run the whole pipeline without Docker (DAYS=7 SEED=1 RATE=30)
	@$(PIPELINE) demo --days "$(DAYS)" --seed "$(SEED)" --rate "$(RATE)"

.PHONY: scenario
scenario: $(INSTALLED) ## Start: List the scenarios with a planted incident, or run one without Docker (NAME=checkout-bug, ANSWERS=1 prints the answers)
	@$(PIPELINE) scenario $(if $(NAME),"$(NAME)") $(if $(ANSWERS),--answers)

.PHONY: play
play: $(INSTALLED) ## Start: Query the last used workspace, such as the demo's, in the browser (PORT=9133, /play)
	@$(PIPELINE) serve $(if $(PORT),--port "$(PORT)")

.PHONY: collect
collect: $(INSTALLED) ## Start: Collect the hits of trackers and of an example shop, without Docker (PORT=9135, ORIGIN=https://shop.example)
	@$(PIPELINE) collect $(if $(PORT),--port "$(PORT)") $(if $(ORIGIN),--origin "$(ORIGIN)")

.PHONY: lab
lab: $(INSTALLED) ## Start: List the labs (exercises that mark themselves), or start one (N=1, LEARNER=name for data of your own)
	@$(PIPELINE) lab $(if $(N),start "$(N)" $(if $(LEARNER),--seed "$(LEARNER)"),list)

.PHONY: lab-hint
lab-hint: $(INSTALLED) ## Start: Print a hint of a lab (N=1, HINT=2)
	@$(PIPELINE) lab hint "$(N)" $(if $(HINT),--hint "$(HINT)")

.PHONY: lab-check
lab-check: $(INSTALLED) ## Start: Check an answer of a lab (N=1 ANSWER=0.25, or FILE=answer.sql)
	@$(PIPELINE) lab check "$(N)" $(if $(ANSWER)$(FILE),"$(or $(FILE),$(ANSWER))")

.PHONY: test
test: $(INSTALLED) ## Start: Check types and style, then test units and the SQL on the engine (needs only npm)
	@$(BIN)/node scripts/test.ts

.PHONY: test-all
test-all: $(INSTALLED) ## Development: Run make test and every other test level that has what it needs
	@$(BIN)/node scripts/test.ts all

.PHONY: test-long
test-long: $(INSTALLED) ## Development: Run kills, soaks, all damage and whole replays (hours)
	@$(BIN)/node scripts/test.ts long

.PHONY: bench
bench: $(INSTALLED) ## Development: Run benchmarks with references in the same run
	@$(BIN)/node bench/run.ts

.PHONY: mutate-sql
mutate-sql: $(INSTALLED) ## Development: Change the SQL in one place at a time, and list what no test notices (AREA=etl/dm, FURTHER=1)
	@FURTHER="$(FURTHER)" $(BIN)/node scripts/mutate-sql.ts "$(AREA)"

.PHONY: mutate-ts
mutate-ts: $(INSTALLED) ## Development: Change TypeScript in one place at a time, and list what no test notices (AREA=kafka/fetch.ts TESTS=test/unit/kafka/fetch.test.ts)
	@$(BIN)/stryker run --mutate "$(AREA)" --testFiles "$(TESTS)"
