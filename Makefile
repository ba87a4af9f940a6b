# `make demo` shows what Clearway does; `make test` checks that it does it. Both build first.
SHELL := /bin/bash
PREFIX ?= /usr/local
VENV := .venv
STAMP := $(VENV)/.clearway-built
SOURCES := CMakeLists.txt pyproject.toml README.md LICENSE $(shell find docs native packaging python tests/synthesiser -type f -not -name '*.pyc')

.PHONY: build demo test test-all bench bench-flow bench-diagnosis bench-causes bench-io-cache bench-tune papers lint wheel deb site install clean

build: $(STAMP)

$(STAMP): $(SOURCES) tools/build
	@tools/build $(VENV)
	@cp build/wheel/clearway-synthesise $(VENV)/bin/  # a tool of the tests and benchmarks, not installed
	@touch $@

demo: build
	@tools/demo

test:
	@tools/test $(TEST_OPTIONS)

test-all:
	@tools/test --all

bench: build
	@tools/bench

# The collapse and its cure under five MPIs on testbeds, about an hour as root; goes on where it was interrupted.
# A part of it: make bench-flow MPIS="openmpi mpich" HOSTS=8 BUFFERS=20k PER_HOST=1 SIZES=16Ki..256Ki:4
bench-flow: build
	@tools/bench-flow $(if $(MPIS),--mpis "$(MPIS)") $(if $(HOSTS),--hosts "$(HOSTS)") \
	    $(if $(BUFFERS),--buffers "$(BUFFERS)") $(if $(PER_HOST),--per-host "$(PER_HOST)") \
	    $(if $(SIZES),--sizes "$(SIZES)") $(if $(CALLS),--calls $(CALLS)) $(if $(BUDGET_S),--budget-s $(BUDGET_S))

# Faults planted for real, and healthy jobs: is what is wrong found, and nothing else? About half an hour as root; goes on
# where it was interrupted. A part of it: make bench-diagnosis ONLY=slow-card,gromacs-2 REPETITIONS=1
bench-diagnosis: build
	@tools/bench-diagnosis $(if $(ONLY),--only $(ONLY)) $(if $(REPETITIONS),--repetitions $(REPETITIONS))

# Faults drawn by a seed and planted for real, each with its twin: about 15 s a draw, as root; goes on where it was
# interrupted. make bench-causes SEED=7 DRAWS=200; HELD_OUT=1 draws from the half of each range that is kept for this.
bench-causes: build
	@tools/bench-causes $(if $(SEED),--seed $(SEED)) $(if $(DRAWS),--draws $(DRAWS)) $(if $(HELD_OUT),--held-out)

# `clearway tune` against the exhaustive grids of real jobs, and against other searches: some minutes a grid, as root; goes
# on where it was interrupted. A part of it: make bench-tune ONLY=gromacs ROUNDS=1; RACES=1 races for real,
# PEERS=5 runs gmx tune_pme, TRY=1 runs each job once and tells how long a round of its grid takes
bench-tune: build
	@tools/bench-tune $(if $(ONLY),--only $(ONLY)) $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(RACES),--races $(RACES)) \
		$(if $(PEERS),--peers $(PEERS)) $(if $(TRY),--try)

# Programs with scratch files on slow file systems, in the I/O cache and without, about 25 minutes as root; goes on where
# it was interrupted. A part of it: make bench-io-cache ONLY=nwchem.uncached ROUNDS=1
bench-io-cache: build
	@tools/bench-io-cache $(if $(ONLY),--only $(ONLY)) $(if $(ROUNDS),--rounds $(ROUNDS))

# Published figures compared with predictions, all of docs/reproduce.md: many minutes the first time. One paper of it:
# tools/papers kutzner-2007
papers: build
	@tools/papers all --markdown docs/reproduce.md

lint: build
	@tools/lint

# For every Linux with glibc 2.28 or newer: dist/clearway-VERSION-py3-none-manylinux_2_28_MACHINE.whl
wheel: build
	@tools/wheel dist

# For the Debian that this runs on: dist/clearway_VERSION-1_MACHINE.deb, and its source.
deb:
	@tools/deb dist

# The documentation as web pages, in build/site.
site: build
	@tools/dependencies site | $(VENV)/bin/pip install --quiet --requirement /dev/stdin
	@NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --quiet --strict
	@echo build/site/index.html

install:
	@tools/install $(PREFIX)

clean:
	rm -rf build $(VENV)
