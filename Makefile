# shardtop - `make run` opens the program, `make check` runs all tests; `make help` lists the rest.

VARIANT ?= release
PREFIX  ?= /usr/local
V       ?=

VARIANTS := release debug asan ubsan tsan cov
ifeq ($(filter $(VARIANT),$(VARIANTS)),)
$(error VARIANT=$(VARIANT) is unknown; use one of $(VARIANTS))
endif

B := build/$(VARIANT)
PROGRAM := $(if $(filter release,$(VARIANT)),build/shardtop,$(B)/shardtop)

VERSION := 0.1.0
PACKAGES := ncursesw yaml-0.1 libcjson
TEST_PACKAGES := cmocka vterm
DEBIAN := gcc make pkg-config libncurses-dev libyaml-dev libcjson-dev
DEBIAN_TESTS := libcmocka-dev libvterm-dev mandoc

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 -Werror
FLAGS_release := -O2 -g
FLAGS_debug   := -O0 -g3
FLAGS_asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FLAGS_ubsan   := -O1 -g -fsanitize=undefined -fno-sanitize-recover=all
FLAGS_tsan    := -O1 -g -fsanitize=thread
FLAGS_cov     := -O0 -g --coverage

ALL_CPPFLAGS := -I. -D_GNU_SOURCE -DSHARDTOP_VERSION='"$(VERSION)"' $(CPPFLAGS)
ALL_CFLAGS = -std=c11 -pthread $(WARNINGS) $(FLAGS_$(VARIANT)) $(shell pkg-config --cflags $(PACKAGES) 2>/dev/null) $(CFLAGS)
ALL_LDFLAGS = -pthread $(FLAGS_$(VARIANT)) $(LDFLAGS)
LIBS = $(shell pkg-config --libs $(PACKAGES) 2>/dev/null) -lm
TEST_LIBS = $(shell pkg-config --libs $(TEST_PACKAGES) 2>/dev/null)

CORE := $(sort $(wildcard core/*.c))
UI   := $(sort $(wildcard ui/*.c))
SRC  := $(filter-out src/main.c src/embed.c,$(sort $(wildcard src/*.c)))
DATA := $(sort $(wildcard configs/*/*.yaml themes/*.yaml))

OBJECTS := $(patsubst %.c,$(B)/%.o,$(CORE) $(UI) $(SRC)) $(B)/embedded.o
UNIT_TESTS := $(patsubst %.c,$(B)/%,$(sort $(wildcard tests/unit/*.c)))

say = $(if $(V),,@printf '  %-5s %s\n' $(1) $(2);)

.PHONY: all run check test deps deps-tests bench fuzz install uninstall check-install lint format clean help
.DEFAULT_GOAL := all

all: $(PROGRAM) ## build the program (VARIANT=release|debug|asan|ubsan|tsan|cov)

run: deps ## install what is missing, build, and open the default plan
	@$(MAKE) --no-print-directory all && ./$(PROGRAM)

check: deps deps-tests ## install what is missing and run every test
	@$(MAKE) --no-print-directory test

# ---- dependencies ---------------------------------------------------------------------------------------------------
# Looks for the packages with pkg-config; installs through apt-get as root or with sudo, else says the one command.
define install
	@if ! command -v $(firstword $(subst gcc,cc,$(3))) >/dev/null 2>&1 || ! pkg-config --exists $(1) 2>/dev/null; then \
	    if command -v apt-get >/dev/null 2>&1 && [ "$$(id -u)" = 0 ]; then as=; \
	    elif command -v apt-get >/dev/null 2>&1 && command -v sudo >/dev/null 2>&1; then as=sudo; \
	    else echo 'Missing libraries. Install them, on Debian: apt-get install $(2)'; exit 1; fi; \
	    $$as apt-get update && $$as env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $(2); \
	fi
endef
deps:
	$(call install,$(PACKAGES),$(DEBIAN),gcc)
deps-tests:
	$(call install,$(TEST_PACKAGES),$(DEBIAN_TESTS),mandoc)

# ---- building -------------------------------------------------------------------------------------------------------
$(PROGRAM): $(OBJECTS) $(B)/src/main.o
	$(call say,LINK,$@)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$(B)/%.o: %.c $(B)/.flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(B)/embed: src/embed.c $(B)/.flags
	$(call say,CC,$<)$(CC) $(ALL_CPPFLAGS) -std=c11 $(WARNINGS) -O1 -o $@ $<

$(B)/embedded.c: $(B)/embed $(DATA) $(B)/.data
	$(call say,EMBED,$@)$(B)/embed $(DATA) > $@.tmp && mv $@.tmp $@

$(B)/embedded.o: $(B)/embedded.c
	$(call say,CC,$<)$(CC) $(ALL_CPPFLAGS) -std=c11 $(FLAGS_$(VARIANT)) $(CFLAGS) -MMD -MP -c $< -o $@

# Stamps that change when the flags or the list of data files do.
$(B)/.flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS)' | cmp -s - $@ || echo '$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS)' > $@
$(B)/.data: FORCE
	@mkdir -p $(@D)
	@echo '$(DATA)' | cmp -s - $@ || echo '$(DATA)' > $@
FORCE:

# ---- tests ----------------------------------------------------------------------------------------------------------
$(B)/tests/unit/%: $(B)/tests/unit/%.o $(OBJECTS)
	$(call say,LINK,$@)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS) $(TEST_LIBS)

test: $(PROGRAM) $(UNIT_TESTS)
	@for t in $(UNIT_TESTS); do echo "== $$t"; $$t || exit 1; done

clean: ## remove what was built
	rm -rf build

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "%-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

-include $(OBJECTS:.o=.d) $(B)/src/main.d $(UNIT_TESTS:=.d)
