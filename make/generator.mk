# Topics, and the gates of the generator's history.

.PHONY: topics
topics: $(INSTALLED) ## Create the topics of the running stack, or put their settings right
	@$(ON_STACK) topics

.PHONY: generated-history-runtime-check
generated-history-runtime-check: $(INSTALLED) ## Backfill, daily wave and live continuation on a clean stack, in two minutes
	@$(ON_STACK) history-runtime-check

.PHONY: soak-kafka
soak-kafka: $(INSTALLED) ## Kill generator, broker and engine at random, then account for all (needs Java and Maven)
	@$(BIN)/node scripts/soak-kafka.ts --seed "$(SEED_SOAK)"
