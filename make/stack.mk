# The running stack. STACK names it and its file Pulumi.<stack>.yaml; CONFIG a configuration that a new one copies.
STACK ?=
CONFIG ?=
OFFSET ?=
SERVICE ?=
PROFILE ?=
FOREIGN ?=
UP ?=
ALLOW_PENDING ?=
REPLACE ?=
SQL ?=
FORMAT ?= PrettyCompact
PAUSE_GENERATOR ?=
STACK_CLI = $(PIPELINE) stack
STACK_OPTIONS = $(if $(STACK),--stack "$(STACK)")
START_OPTIONS = $(STACK_OPTIONS) $(if $(CONFIG),--config "$(CONFIG)") $(if $(OFFSET),--offset "$(OFFSET)") $(if $(UP),--mode "$(UP)")
ON_STACK = $(STACK_CLI) run $(STACK_OPTIONS) --

.PHONY: init
init: $(INSTALLED) ## Create the stack and its configuration (done by up; STACK=dev CONFIG=dev OFFSET=0)
	@$(STACK_CLI) init $(START_OPTIONS)

.PHONY: up
up: $(INSTALLED) ## Start everything, backfill a week, then stream live events (UP=bare: services only)
	@$(STACK_CLI) up $(START_OPTIONS)

.PHONY: preview
preview: $(INSTALLED) ## Show what up would change, restart, lose; changes nothing
	@$(STACK_CLI) preview $(START_OPTIONS)

.PHONY: down
down: $(INSTALLED) ## Stop and remove containers and networks; data stays
	@$(STACK_CLI) down $(STACK_OPTIONS)

.PHONY: clean
clean: $(INSTALLED) ## Remove everything of the stack, including data; asks on a terminal (YES=1 does not)
	@$(STACK_CLI) clean $(STACK_OPTIONS) $(if $(FOREIGN),--foreign)

.PHONY: env
env: $(INSTALLED) ## Print what plain pulumi needs for the same stack: eval "$$(make -s env)"
	@$(STACK_CLI) env $(STACK_OPTIONS)

.PHONY: secrets
secrets: $(INSTALLED) ## Print the stack's secrets
	@$(STACK_CLI) secrets $(STACK_OPTIONS)

.PHONY: urls
urls: $(INSTALLED) ## Print the addresses of the running stack
	@$(STACK_CLI) urls $(STACK_OPTIONS)

.PHONY: ps
ps: $(INSTALLED) ## List the services with state and health
	@$(STACK_CLI) ps $(STACK_OPTIONS)

.PHONY: logs
logs: $(INSTALLED) ## Follow a service's log (SERVICE=database), or print the last lines of all
	@$(STACK_CLI) logs $(STACK_OPTIONS) $(SERVICE)

.PHONY: doctor
doctor: $(INSTALLED) ## Check the machine and the stack, and print a fix for each problem
	@$(PIPELINE) doctor $(STACK_OPTIONS)

.PHONY: ddl
ddl: $(INSTALLED) ## Apply sql/ddl to the running stack
	@$(ON_STACK) ddl

.PHONY: data
data: $(INSTALLED) ## Pause the generator, re-create the topics, load data into the broker (LIMIT=50 REPLACE=1 PAUSE_GENERATOR=0)
	@$(ON_STACK) data --limit "$(LIMIT)" $(if $(filter 1,$(REPLACE)),--replace) $(if $(filter 0,$(PAUSE_GENERATOR)),--no-pause-generator)

.PHONY: transform
transform: $(INSTALLED) ## Run the batch process on the running stack
	@$(ON_STACK) transform

.PHONY: prove
prove: $(INSTALLED) ## Check that no message was lost or duplicated from source to marts (ALLOW_PENDING=600, seconds; DEEP=1)
	@$(ON_STACK) prove $(if $(ALLOW_PENDING),--allow-pending "$(ALLOW_PENDING)") $(if $(DEEP),--deep)

.PHONY: query
query: $(INSTALLED) ## Print the result of a SELECT on the running stack (SQL="SELECT 1" FORMAT=PrettyCompact)
	@$(ON_STACK) query '$(subst ','\'',$(SQL))' --format "$(FORMAT)"

.PHONY: generator-up
generator-up: $(INSTALLED) ## Start publishing, now and after every up
	@$(STACK_CLI) generator $(STACK_OPTIONS) on

.PHONY: generator-down
generator-down: $(INSTALLED) ## Stop publishing, now and after every up
	@$(STACK_CLI) generator $(STACK_OPTIONS) off

.PHONY: generator-restart
generator-restart: $(INSTALLED) ## Rebuild and restart the generator
	@$(STACK_CLI) generator $(STACK_OPTIONS) restart

.PHONY: generator-logs
generator-logs: $(INSTALLED) ## Follow the generator's log
	@$(STACK_CLI) logs $(STACK_OPTIONS) generator

.PHONY: generator-test
generator-test: $(INSTALLED) ## Run the generator's tests (PROFILE=daily-wave)
	@GEN_PROFILE="$(PROFILE)" $(BIN)/vitest run --project unit test/unit/generator

.PHONY: generated-history-analytics
generated-history-analytics: $(INSTALLED) ## Build analytics from the generated history
	@$(ON_STACK) history-analytics

.PHONY: generated-history-check
generated-history-check: $(INSTALLED) ## Compare the history with its manifest (CHECK_LIVE_SEAM=0 without live data)
	@$(ON_STACK) history-check

.PHONY: offline-images
offline-images: $(INSTALLED) ## Build the stack's images from package registries (no container registry)
	@$(BIN)/node images/offline/build.ts

.PHONY: lock-images
lock-images: $(INSTALLED) ## Record the digests of the official images (pulls them all)
	@$(BIN)/node scripts/lock-images.ts
