# Topics and checks of the generator's history.

.PHONY: topics
topics: $(INSTALLED) ## Stack*: Create the topics of the running stack, or correct topic settings
	@$(ON_STACK) topics

.PHONY: generated-history-runtime-check
generated-history-runtime-check: $(INSTALLED) ## Data*: Check backfill, page events by hour (daily wave) and live mode on an empty environment, in two minutes
	@$(ON_STACK) history-runtime-check

.PHONY: soak-kafka
soak-kafka: $(INSTALLED) ## Development: Kill generator, broker and engine at random, then check every message (needs Java and Maven)
	@SOAK_SIZE=25 SOAK_SEED="$(SEED_SOAK)" $(BIN)/node node_modules/vitest/vitest.mjs run --project long test/kafka/soak.long.test.ts
