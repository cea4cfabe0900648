# Superset.
.PHONY: bi-init
bi-init: $(INSTALLED) ## Create or repair Superset's connection, datasets, charts and dashboard
	@$(ON_STACK) bi-init

.PHONY: bi-rotate-key
bi-rotate-key: $(INSTALLED) ## Give Superset a new secret key and re-encrypt its data
	@$(STACK_CLI) rotate-bi-key $(STACK_OPTIONS)
