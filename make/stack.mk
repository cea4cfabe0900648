# The running stack. STACK: its name; CONFIG: configuration that a new stack copies.
STACK ?=
CONFIG ?=
OFFSET ?=
SERVICE ?=
PROFILE ?=
FOREIGN ?=
PROTECTED ?=
UP ?=
ALLOW_PENDING ?=
REPLACE ?=
SHOW ?=
DELETE ?=
SELECT ?=
DRY_RUN ?=
SQL ?=
FORMAT ?= PrettyCompact
PAUSE_GENERATOR ?=
STACK_CLI = $(PIPELINE) stack
STACK_OPTIONS = $(if $(STACK),--stack "$(STACK)")
START_OPTIONS = $(STACK_OPTIONS) $(if $(CONFIG),--config "$(CONFIG)") $(if $(OFFSET),--offset "$(OFFSET)") $(if $(UP),--mode "$(UP)")
ON_STACK = $(STACK_CLI) run $(STACK_OPTIONS) --

.PHONY: init
init: $(INSTALLED) ## Stack: Create a stack and its configuration, which up also does (STACK=home CONFIG=long-lived OFFSET=0)
	@$(STACK_CLI) init $(START_OPTIONS)

.PHONY: up
up: $(INSTALLED) ## Start: Start everything, backfill a week, then stream live events (UP=bare: services only, until UP=live)
	@$(STACK_CLI) up $(START_OPTIONS)

.PHONY: preview
preview: $(INSTALLED) ## Stack: Show what up would change
	@$(STACK_CLI) preview $(START_OPTIONS)

.PHONY: down
down: $(INSTALLED) ## Stack: Stop and remove containers and networks, and keep data
	@$(STACK_CLI) down $(STACK_OPTIONS)

.PHONY: clean
clean: $(INSTALLED) ## Stack: Remove the stack and its data, after a confirmation (YES=1: without; FOREIGN=1 PROTECTED=1)
	@$(STACK_CLI) clean $(STACK_OPTIONS) $(if $(FOREIGN),--foreign) $(if $(PROTECTED),--protected)

.PHONY: secrets
secrets: $(INSTALLED) ## Stack: Print the stack's secrets
	@$(STACK_CLI) secrets $(STACK_OPTIONS)

.PHONY: urls
urls: $(INSTALLED) ## Stack*: Print the addresses of the running stack, and whether they answer
	@$(STACK_CLI) urls $(STACK_OPTIONS)

.PHONY: ps
ps: $(INSTALLED) ## Stack*: List the services with state and health
	@$(STACK_CLI) ps $(STACK_OPTIONS)

.PHONY: logs
logs: $(INSTALLED) ## Stack*: Follow a service's log (SERVICE=clickhouse), or print the last lines of all
	@$(STACK_CLI) logs $(STACK_OPTIONS) $(SERVICE)

.PHONY: doctor
doctor: $(INSTALLED) ## Start: Check engine, memory and ports, and print a fix for each problem
	@$(PIPELINE) doctor $(STACK_OPTIONS)

.PHONY: ddl
ddl: $(INSTALLED) ## Data*: Apply sql/ddl to the running stack
	@$(ON_STACK) ddl

.PHONY: data
data: $(INSTALLED) ## Data*: Pause the generator, re-create the topics, load data into the broker (LIMIT=50 REPLACE=1 PAUSE_GENERATOR=0)
	@$(ON_STACK) data --limit "$(LIMIT)" $(if $(filter 1,$(REPLACE)),--replace) $(if $(filter 0,$(PAUSE_GENERATOR)),--no-pause-generator)

.PHONY: transform
transform: $(INSTALLED) ## Data*: Run the batch process on the running stack
	@$(ON_STACK) transform

.PHONY: prove
prove: $(INSTALLED) ## Data*: Check that no message was lost or duplicated from source to marts (ALLOW_PENDING=600, seconds; DEEP=1)
	@$(ON_STACK) prove $(if $(ALLOW_PENDING),--allow-pending "$(ALLOW_PENDING)") $(if $(DEEP),--deep)

.PHONY: snapshot
snapshot: $(INSTALLED) ## Data*: Back up all stored rows of the running stack (NAME=before-upgrade)
	@$(ON_STACK) snapshot $(if $(NAME),"$(NAME)")

.PHONY: restore
restore: $(INSTALLED) ## Data*: Replace all stored rows of the running stack by those of a snapshot, after a confirmation (NAME=before-upgrade YES=1: without)
	@$(ON_STACK) restore "$(NAME)"

.PHONY: erase
erase: $(INSTALLED) ## Data*: Erase visitors of the running stack for ever, after a confirmation (IDS="ID …" or FILE=ids.txt, REQUEST=2026-17 TOPICS=1: also all stored messages in Kafka, YES=1: without)
	@$(ON_STACK) erase $(IDS) $(if $(FILE),--file "$(FILE)") $(if $(REQUEST),--request "$(REQUEST)") $(if $(filter 1,$(TOPICS)),--topics)

.PHONY: retain
retain: $(INSTALLED) ## Data*: Drop what is older than the layers of the running stack keep, after a confirmation (DRY_RUN=1: only count, YES=1: without)
	@$(ON_STACK) retain $(if $(filter 1,$(DRY_RUN)),--dry-run)

.PHONY: snapshots
snapshots: $(INSTALLED) ## Data*: List the snapshots of the running stack, or delete one (DELETE=before-upgrade)
	@$(ON_STACK) snapshots $(if $(DELETE),delete $(DELETE))

.PHONY: rejected
rejected: $(INSTALLED) ## Data*: List the rejected messages of the running stack by stream and reason
	@$(ON_STACK) rejected

.PHONY: replay
replay: $(INSTALLED) ## Data*: Repair rejected messages of the running stack by a SELECT, and send them again (SELECT=repair.sql DRY_RUN=1)
	@$(ON_STACK) rejected replay --select "$(SELECT)" $(if $(filter 1,$(DRY_RUN)),--dry-run)

.PHONY: test-data
test-data: $(INSTALLED) ## Data*: Run the data tests of dds and dm on the running stack (SHOW=1: with failing rows)
	@$(ON_STACK) test $(if $(SHOW),--show)

.PHONY: query
query: $(INSTALLED) ## Data*: Print the result of a SELECT on the running stack (SQL="SELECT 1" FORMAT=PrettyCompact)
	@$(ON_STACK) query '$(subst ','\'',$(SQL))' --format "$(FORMAT)"

.PHONY: truth
truth: $(INSTALLED) ## Data*: Compare the ground truth of a shop history with the marts of the running stack (FORMAT=PrettyCompact)
	@$(ON_STACK) truth --format "$(FORMAT)"

.PHONY: generator-up
generator-up: $(INSTALLED) ## Stack*: Start publishing, now and after every up
	@$(STACK_CLI) generator $(STACK_OPTIONS) on

.PHONY: generator-down
generator-down: $(INSTALLED) ## Stack*: Stop publishing, now and after every up
	@$(STACK_CLI) generator $(STACK_OPTIONS) off

.PHONY: generator-restart
generator-restart: $(INSTALLED) ## Stack*: Rebuild and restart the generator
	@$(STACK_CLI) generator $(STACK_OPTIONS) restart

.PHONY: generator-logs
generator-logs: $(INSTALLED) ## Stack*: Follow the generator's log
	@$(STACK_CLI) logs $(STACK_OPTIONS) generator

.PHONY: generator-test
generator-test: $(INSTALLED) ## Development: Run the generator's tests (PROFILE=daily-wave)
	@GEN_PROFILE="$(PROFILE)" $(BIN)/node node_modules/vitest/vitest.mjs run --project unit test/unit/generator

.PHONY: generated-history-analytics
generated-history-analytics: $(INSTALLED) ## Data*: Build analytics from the generated history
	@$(ON_STACK) history-analytics

.PHONY: generated-history-check
generated-history-check: $(INSTALLED) ## Data*: Compare the history with its manifest (CHECK_LIVE_SEAM=0: without live data)
	@$(ON_STACK) history-check

.PHONY: offline-images
offline-images: $(INSTALLED) ## Stack: Build the stack's images from package registries (no container registry)
	@$(BIN)/node images/offline/build.ts

.PHONY: lock-images
lock-images: $(INSTALLED) ## Development: Record the digests of the official images (pulls all images)
	@$(BIN)/node scripts/lock-images.ts
