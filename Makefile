# Everything starts from nothing: each target makes the environment that it needs first.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

SPARK ?= 4.3
VENV := $(if $(filter 4.3,$(SPARK)),.venv,.venv-spark-$(SPARK))
BIN := $(VENV)/bin
PYTEST_ARGS ?=
# Each has a Spark of its own, which may take 6 GiB.
TEST_WORKERS ?= 2
ARGS ?= start
RUN_DATE ?=
TABLES ?= 300
VERSIONS ?= 1000
LOCK_ARGS ?= --upgrade

##@ Use

.PHONY: run
run: setup-run ## Run the main job on the bundled sample and show it (RUN_DATE=2020-11-13 for one date)
	$(BIN)/python -m development sample $(if $(RUN_DATE),--run-date $(RUN_DATE))

.PHONY: thrift
thrift: setup-thrift ## Start a Spark Thrift server and its metastore on loopback (ARGS=stop ends it, ARGS=status looks)
	$(BIN)/python -m pyspark_dms thrift $(ARGS)

.PHONY: s3
s3: setup-dev ## Start an S3 API on loopback with the sample's files, and say how to run them on it (ARGS=stop ends it)
	$(BIN)/python -m development s3 $(ARGS)

.PHONY: docs
docs: setup-dev ## Write pages of tables, columns, lineage and runs to target/docs/, and the guide to target/docs/guide/
	@# The pages of the tables link to the guide that is there.
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --site-dir target/docs/guide
	$(BIN)/python -m pyspark_dms docs

##@ Develop

.PHONY: pictures
pictures: setup-test ## Take the pictures of README again, from the sample in a lake of its own
	$(BIN)/python docs/pictures/make.py

.PHONY: setup
setup: setup-test ## Make the environment with all that tests need: .venv, or .venv-spark-4.0 with SPARK=4.0

# Each target takes what it needs, and leaves what is there.
.PHONY: setup-run setup-thrift setup-dev setup-test
setup-run setup-thrift setup-dev setup-test:
	@requirements/setup.sh $(VENV) $(SPARK) $(@:setup-%=%)

.PHONY: test
test: setup ## Run the tests (DMS_SUITE=whole for all of them, PYTEST_ARGS="-k reload" for a part, SPARK=4.0 for that Spark)
	$(BIN)/python -m pytest --numprocesses $(TEST_WORKERS) --dist loadfile --no-loadscope-reorder --durations 30 $(PYTEST_ARGS)

.PHONY: lint
lint: export DMS_LAKE := $(CURDIR)/target/lint-lake
lint: export DMS_UNIT_TESTS := true
lint: setup-dev ## Check style, types, SQL, the dbt project and the generated files
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/dbt --quiet --warn-error parse
	$(BIN)/python -m pyspark_dms scaffold --check
	$(BIN)/python docs/reference/generate.py --check
	$(BIN)/sqlfluff lint --disable-progress-bar models
	$(BIN)/cfn-lint deploy/template.yml

.PHONY: audit
audit: setup-dev ## Ask what is known against the packages of the locks, and say so if nothing could be asked
	$(BIN)/python requirements/audit.py requirements/spark-?.?.lock requirements/emr.lock

.PHONY: format
format: setup-dev ## Bring the Python code into shape, and write the generated pages of docs/reference
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/python docs/reference/generate.py

.PHONY: bench
bench: setup-dev ## Measure large tables, then whole commands (figures and what they mean: docs/benchmarks.md)
	$(BIN)/python -m bench $(BENCH_ARGS)
	$(BIN)/python -m bench.cold

.PHONY: bench-tables
bench-tables: setup-dev ## Measure hundreds of tables (TABLES=30 for a part)
	$(BIN)/python -m bench.many_tables --tables $(TABLES)

.PHONY: bench-age
bench-age: setup-dev ## Measure a version log of 1,000 versions, and whole commands on a lake of that age (VERSIONS=100)
	$(BIN)/python -m bench.version_log --root $(CURDIR)/bench/work/log-$(VERSIONS) --tables $(TABLES) --versions $(VERSIONS)
	$(BIN)/python -m bench.aged 5 $(VERSIONS) $(BENCH_ARGS)

# The newest Spark that both have jars for.
PEERS := org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0 io.delta:delta-spark_4.1_2.13:4.4.0 io.delta:delta-storage:4.4.0

.PHONY: bench-peers
bench-peers: ## Measure this project beside Iceberg and Delta on Spark 4.1 (Maven brings their jars)
	$(MAKE) setup-dev SPARK=4.1
	for jar in $(PEERS); do mvn --quiet dependency:copy -Dartifact=$$jar -DoutputDirectory=bench/jars -Dmdep.overWriteReleases=false; done
	.venv-spark-4.1/bin/python -m bench.peers $(BENCH_ARGS)

.PHONY: bench-cold
bench-cold: setup-dev ## Measure whole commands on the sample, from their start, with processor time
	$(BIN)/python -m bench.cold

.PHONY: bench-compare
bench-compare: setup ## Measure a comparison with a source of 10 million rows, and find 100 differences in it
	$(BIN)/python -m bench.compare

.PHONY: bench-requests
bench-requests: setup-dev ## Count what runs on the sample ask of an S3 API and of the metastore
	$(BIN)/python -m bench.requests

.PHONY: lock
lock: setup-dev ## Pin the newest versions that pyproject.toml allows, for each Spark (LOCK_ARGS= keeps all pins that can stay)
	for spark in 4.0 4.1 4.3; do \
		$(BIN)/uv pip compile pyproject.toml --extra dev --universal $(LOCK_ARGS) --generate-hashes \
			--no-header --no-annotate --quiet \
			--constraint requirements/spark-$$spark.in --output-file requirements/spark-$$spark.lock; \
		$(BIN)/uv pip compile pyproject.toml --extra local --extra thrift --universal --generate-hashes \
			--no-header --no-annotate --quiet \
			--constraint requirements/spark-$$spark.lock --output-file requirements/spark-$$spark.run.lock; \
	done
	$(BIN)/uv pip compile pyproject.toml --extra aws --extra local --extra thrift --universal \
		--python-version 3.11 --generate-hashes \
		--no-header --no-annotate --quiet --no-emit-package pyspark \
		--constraint requirements/spark-4.1.lock --output-file requirements/emr.lock
	for orchestrator in dagster airflow; do \
		$(BIN)/uv pip compile requirements/$$orchestrator.in --universal --python-version 3.11 $(LOCK_ARGS) \
			--generate-hashes --no-header --no-annotate --quiet \
			--output-file requirements/$$orchestrator.lock; \
	done

.PHONY: clean
clean: ## Remove the lake and all that was made from the sources; the environments stay
	@if [[ -d lake/thrift ]]; then $(BIN)/python -m pyspark_dms thrift stop --lake lake; fi
	@if [[ -d lake/s3 ]]; then $(BIN)/python -m development s3 stop; fi
	rm -rf lake target logs bench/work .pytest_cache .mypy_cache .ruff_cache .hypothesis

.PHONY: distclean
distclean: clean ## Remove the environments too
	rm -rf .venv .venv-*

##@ Help

.PHONY: help
# Colours are for a terminal, not for a pipe.
help: BOLD := $(if $(MAKE_TERMOUT),\033[1m)
help: BLUE := $(if $(MAKE_TERMOUT),\033[36m)
help: PLAIN := $(if $(MAKE_TERMOUT),\033[0m)
help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} \
		/^##@/ {printf "\n$(BOLD)%s$(PLAIN)\n", substr($$0, 5)} \
		/^[a-z0-9-]+:.*## / {printf "  $(BLUE)make %-14s$(PLAIN) %s\n", $$1, $$2}' $(MAKEFILE_LIST)
