# `make demo` shows what Clearway does; `make test` checks that it does it. Both build first.
SHELL := /bin/bash
PREFIX ?= /usr/local
VENV := .venv
STAMP := $(VENV)/.clearway-built
SOURCES := CMakeLists.txt pyproject.toml README.md LICENSE $(shell find native python -type f -not -name '*.pyc')

.PHONY: build demo test test-all bench lint install clean

build: $(STAMP)

$(STAMP): $(SOURCES) tools/build
	@tools/build $(VENV)
	@cp build/wheel/clearway-synthesise $(VENV)/bin/  # a tool of the tests and benchmarks, not installed
	@touch $@

demo: build
	@tools/demo

test: build
	@tools/test

test-all: build
	@tools/test --all

bench: build
	@tools/bench

lint: build
	@tools/lint

install:
	@tools/install $(PREFIX)

clean:
	rm -rf build $(VENV)
