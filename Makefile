# skyfs: one verb each. `make help` lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help

RELEASE := swift build -c release --static-swift-stdlib
PREFIX ?= /usr/local
# The only place where mount(8) looks for mount.TYPE.
MOUNT_HELPERS ?= /sbin

.PHONY: help setup build demo test soak fuzz check bench lint format install clean

help: ## show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: ## install what building and testing need (Debian 12)
	@scripts/setup

build: setup ## build the release binaries
	$(RELEASE) --product skyfs
	$(RELEASE) --product skyfs-demo-server

demo: build ## mount a server of its own, look at it, unmount
	@"$$($(RELEASE) --show-bin-path)/skyfs" demo

test: setup ## build and run all tests
	@scripts/test

soak: build ## the long counts: readers and faults for minutes, sanitizer
	@scripts/soak

fuzz: setup ## libFuzzer on the parsers of foreign bytes, FUZZ_SECONDS each
	@scripts/fuzz

check: ## formatting, import rules, file length, banned calls
	@scripts/check

bench: build ## measure against curl and, where installed, rclone and httpdirfs; writes docs/benchmarks.md
	$(RELEASE) --product FlightsBench
	@Benchmarks/run

lint: check

format: ## format all Swift sources
	swift format -i -r Sources Tests Package.swift

install: build ## install skyfs, and mount.skyfs for fstab, under PREFIX
	install -D -m 755 "$$($(RELEASE) --show-bin-path)/skyfs" $(DESTDIR)$(PREFIX)/bin/skyfs
	install -d $(DESTDIR)$(MOUNT_HELPERS)
	ln -sf $(PREFIX)/bin/skyfs $(DESTDIR)$(MOUNT_HELPERS)/mount.skyfs

clean: ## remove build products
	rm -rf .build
