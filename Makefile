# shardtop - `make run` opens the program, `make check` runs all tests; `make help` lists the rest.

VARIANT ?= release
comma := ,
PREFIX  ?= /usr/local
V       ?=
STRICT  ?=

# For another machine: CC builds the program, HOSTCC what runs while it is built; EMULATOR (qemu-aarch64) runs the program,
# which writes its own manual when it is installed.
HOSTCC     := $(or $(HOSTCC),$(shell command -v cc),$(CC))
PKG_CONFIG ?= pkg-config
EMULATOR   ?=

VARIANTS := release static debug asan ubsan tsan cov fuzz ids
ifeq ($(filter $(VARIANT),$(VARIANTS)),)
$(error VARIANT=$(VARIANT) is unknown; use one of $(VARIANTS))
endif

# The machine that CC builds for, as in x86_64-linux-gnu.
MACHINE = $(shell $(CC) -dumpmachine 2>/dev/null)
B := build/$(VARIANT)$(if $(filter static,$(VARIANT)),-$(firstword $(subst -, ,$(MACHINE))))
PROGRAM := $(if $(filter release,$(VARIANT)),build/shardtop,$(B)/shardtop)

VERSION := 1.0.0
# The commit: of the repository whose top this folder is, or the one that `git archive` wrote into .ci/commit.
COMMIT = $(shell [ "$$(git rev-parse --show-toplevel 2>/dev/null)" = "$$(pwd -P)" ] && \
    git describe --always --dirty --abbrev=9 --match 'v[0-9]*' 2>/dev/null || sed -n '/Format/!p' .ci/commit)
PACKAGES := ncursesw libcyaml yaml-0.1 libcjson
TEST_PACKAGES := cmocka vterm
DEBIAN := gcc make pkg-config libncurses-dev libcyaml-dev libyaml-dev libcjson-dev
DEBIAN_TESTS := libcmocka-dev libvterm-dev mandoc

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2
# A warning that a newer compiler thought of stops this project's own checks, not the build of who installs it.
WARNINGS += $(if $(STRICT),-Werror)
# clang warns where a formula uses a 0/1 symbol as a condition; gcc checks the conversions that matter.
WARNINGS += $(shell $(CC) --version 2>/dev/null | grep -q clang && echo -Wno-float-conversion -Wno-enum-float-conversion)
# _FORTIFY_SOURCE: one that CPPFLAGS or CFLAGS set stays, one that the compiler was built with makes way without a warning.
FORTIFY := $(if $(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
# -g1: what a backtrace says. All of -g has the compiler track each symbol of a sheet through its formulas, which takes it
# twice as long, and five times under a sanitizer; VARIANT=debug has it.
# Position-independent, for the program and the library alike; what is hidden costs nothing by it.
FLAGS_release := -O2 -g1 -fstack-protector-strong -fPIC -fvisibility=hidden $(FORTIFY)
FLAGS_static  := $(FLAGS_release)
FLAGS_debug   := -O0 -g3
FLAGS_asan    := -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FLAGS_ubsan   := -O1 -g1 -fsanitize=undefined -fno-sanitize-recover=all
FLAGS_tsan    := -O1 -g1 -fsanitize=thread
FLAGS_cov     := -O0 -g --coverage
# Each sentence is its id: no code reads a fact out of words, for `make VARIANT=ids tests` passes.
FLAGS_ids     := -O0 -g1 -DMESSAGES_AS_IDS
FLAGS_fuzz    := -O1 -g1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all

ALL_CPPFLAGS := -I. -Ibuild -D_GNU_SOURCE $(CPPFLAGS)
PACKAGE_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PACKAGES) 2>/dev/null)
# Nobody asks errno about sqrt() or erfc(): without it they cost less, and nothing where their value is not used.
# A product and a sum are two roundings on every machine, so that all come to the same figures.
ALL_CFLAGS := -std=c11 -pthread -fno-math-errno -ffp-contract=off $(WARNINGS) $(FLAGS_$(VARIANT)) $(PACKAGE_CFLAGS) $(CFLAGS)
# Apple's linker knows neither -z nor -soname.
ELF := $(if $(filter Darwin,$(shell uname -s)),,yes)
LINK_release := $(if $(ELF),-pie -Wl$(comma)-z$(comma)relro$(comma)-z$(comma)now)
LINK_static  := -static-pie -Wl,-z,relro,-z,now
ALL_LDFLAGS := -pthread $(FLAGS_$(VARIANT)) $(LINK_$(VARIANT)) $(LDFLAGS)
LIBS := $(shell $(PKG_CONFIG) --libs $(PACKAGES) 2>/dev/null) -lm
TEST_LIBS := $(shell $(PKG_CONFIG) --libs $(TEST_PACKAGES) 2>/dev/null)
ifeq ($(VARIANT),static)
# Debian's cJSON has no archive: without one, its source is compiled in (a path to cJSON.c; .ci/cjson fetches it).
CJSON ?= $(if $(findstring /,$(shell $(CC) -print-file-name=libcjson.a 2>/dev/null)),,$(B)/cjson/cJSON.c)
LIBS := $(filter-out $(if $(CJSON),-lcjson),$(shell $(PKG_CONFIG) --static --libs $(PACKAGES) 2>/dev/null)) -lm
# Descriptions of terminals inside, for where none is installed.
TERMINALS := xterm-256color tmux-256color screen-256color linux vt100
endif
# openpty() before glibc 2.34; empty since.
PTY_LIBS := -lutil

CORE := $(sort $(wildcard core/*/*.c))
UI   := $(sort $(wildcard ui/*.c ui/*/*.c))
SRC  := $(filter-out src/plan/embed.c,$(sort $(wildcard src/*/*.c src/*/*/*.c)))
DATA := $(sort $(wildcard configs/*/*.yaml src/cli/docs/pages/*.md themes/*.yaml))

CORE_OBJECTS := $(patsubst %.c,$(B)/%.o,$(CORE))
OBJECTS := $(CORE_OBJECTS) $(patsubst %.c,$(B)/%.o,$(UI) $(SRC)) $(B)/embedded.o $(B)/terminals.o $(if $(CJSON),$(B)/cjson.o)

# A test that includes nothing of src/ and ui/ links the core alone; every other test links all but main().
above_core = $(shell grep -lE '"(src|ui)/' $(1))
UNIT_TESTS := $(patsubst %.c,$(B)/%,$(sort $(wildcard tests/unit/*.c)))
CORE_TESTS := $(filter-out $(patsubst %.c,$(B)/%,$(call above_core,tests/unit/*.c)),$(UNIT_TESTS))
SCREEN_TESTS := $(addprefix $(B)/tests/,pty/test_pty pty/test_line screens/test_screens screens/test_golden)
REPLAYS := $(patsubst tests/fuzz/fuzz_%.c,$(B)/tests/fuzz/replay_%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
CORE_REPLAYS := $(filter-out $(patsubst tests/fuzz/fuzz_%.c,$(B)/tests/fuzz/replay_%,$(call above_core,tests/fuzz/fuzz_*.c)),$(REPLAYS))
FUZZERS := $(patsubst tests/fuzz/%.c,build/fuzz/tests/fuzz/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
TESTS = $(SCREEN_TESTS) $(UNIT_TESTS) $(REPLAYS)
SCRIPTS := tests/hostile/check tests/rules/check tests/cli/run.sh tests/cli/first tests/cli/readme tests/cli/schema.py tests/examples/check
SCRIPTS := $(if $(filter release,$(VARIANT)),$(SCRIPTS),$(filter-out tests/rules/check,$(SCRIPTS))) # rules of the sources
ifeq ($(VARIANT),ids) # without tests that compare whole screens and reports
SCREEN_TESTS :=
SCRIPTS := tests/hostile/check
endif
FUZZ_AMOUNT ?= 60
export ASAN_OPTIONS ?= handle_segv=2:handle_sigfpe=2:handle_abort=2

# libshardtop, of the release objects; its first number changes when a caller has to.
SONAME  := libshardtop.so.0
LIBRARY := build/release/$(SONAME)

say = $(if $(V),,@printf '  %-5s %s\n' $(1) $(2);)
link = $(call say,LINK,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o %.a,$^)

.PHONY: all run check test tests strings snapshots bench validate ranges fuzz fuzzers lint deps deps-tests install uninstall check-install check-roots clean help FORCE
.DEFAULT_GOAL := all

all: $(PROGRAM) ## build the program (VARIANT=release|debug|asan|ubsan|tsan|cov)

run: deps ## install what is missing, build, and open the default plan
	@$(MAKE) --no-print-directory all && ./$(PROGRAM)

check: deps deps-tests ## install what is missing and run every test: those of `make test`, screens, inputs of fuzzing, rules
	@$(MAKE) --no-print-directory tests

# ---- dependencies ---------------------------------------------------------------------------------------------------
# $(call need,COMMANDS,PKG-CONFIG NAMES,DEBIAN PACKAGES): what is missing comes through apt-get, as root or with sudo;
# elsewhere the names are said.
define need
	@missing=; for name in $(1); do command -v "$$name" >/dev/null 2>&1 || missing="$$missing $$name"; done; \
	for name in $(2); do $(PKG_CONFIG) --exists "$$name" 2>/dev/null || missing="$$missing $$name"; done; \
	[ -n "$$missing" ] || exit 0; \
	if command -v apt-get >/dev/null 2>&1 && [ "$$(id -u)" = 0 ]; then as=; \
	elif command -v apt-get >/dev/null 2>&1 && command -v sudo >/dev/null 2>&1; then as=sudo; \
	else echo "Missing:$$missing. Install them; on Debian: apt-get install $(3)"; exit 1; fi; \
	echo "Missing:$$missing. Installing: $(3)"; \
	$$as apt-get update && $$as env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $(3)
endef
deps:
	$(call need,$(firstword $(CC)) $(firstword $(HOSTCC)) $(PKG_CONFIG),$(PACKAGES),$(DEBIAN))
deps-tests: deps # one after the other: apt-get takes a lock
	$(call need,mandoc,$(TEST_PACKAGES),$(DEBIAN_TESTS))

# ---- building -------------------------------------------------------------------------------------------------------
$(PROGRAM): $(OBJECTS) $(B)/src/main.o $(B)/commit.o
	$(link) $(LIBS)

$(LIBRARY): $(B)/src/lib/shardtop.o $(B)/commit.o $(B)/libtree.a
	$(call say,LINK,$@)$(CC) -pthread $(FLAGS_$(VARIANT)) -shared $(if $(ELF),-Wl$(comma)-soname$(comma)$(SONAME) -Wl$(comma)-z$(comma)relro$(comma)-z$(comma)now -Wl$(comma)--as-needed,-Wl$(comma)-install_name$(comma)$(SONAME)) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LIBS)

# A missing library is named before the first file is compiled.
.PHONY: libraries
libraries:
	@missing=; for name in $(filter-out $(if $(filter static,$(VARIANT)),$(if $(CJSON),libcjson)),$(PACKAGES)); do \
	    $(PKG_CONFIG) --exists "$$name" 2>/dev/null || missing="$$missing $$name"; done; \
	[ -z "$$missing" ] || { echo "missing libraries:$$missing; on Debian and Ubuntu: apt-get install $(DEBIAN)" >&2; exit 1; }
$(OBJECTS) $(B)/src/main.o: | libraries

$(B)/%.o: %.c $(B)/.flags | build/core/estimate/marks.h
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

# An estimate spends its time in the core; readers, reports and the screen compile a quarter sooner with -O1, and no budget
# of `make bench` notices.
$(B)/src/%.o $(B)/ui/%.o $(B)/tests/%.o: private ALL_CFLAGS := $(patsubst -O2,-O1,$(ALL_CFLAGS))
# Schedules are played in loops over three kinds of passes: unrolled, a search over all schedules takes a tenth less.
$(B)/core/estimate/passes.o $(B)/core/estimate/simulate.o: private ALL_CFLAGS := $(patsubst -O2,-O3,$(ALL_CFLAGS))
# Every row of fold.c and op.c reads hundreds of symbols: checks of that one pointer take minutes to compile.
$(B)/core/estimate/fold.o $(B)/core/estimate/op.o: private ALL_CFLAGS += $(if $(findstring undefined,$(FLAGS_$(VARIANT))),\
    -fno-sanitize=null -fno-sanitize=alignment -fno-sanitize=object-size)
# What formulas compare leads a fuzzer to no input, and takes a third of its time.
$(B)/core/estimate/%.o: private ALL_CFLAGS += $(if $(filter fuzz,$(VARIANT)),-fno-sanitize-coverage=trace-cmp)

$(B)/src/text/version.o: private ALL_CPPFLAGS += -DSHARDTOP_VERSION='"$(VERSION)"'
$(B)/src/text/version.o: $(B)/.version
$(B)/commit.c: $(B)/.version
	@echo 'extern const char *const version_commit; const char *const version_commit = $(if $(COMMIT),"$(COMMIT)",0);' >$@

build_program = $(call say,CC,$<)$(HOSTCC) -I. -D_GNU_SOURCE -std=c11 $(WARNINGS) -O1 -o
$(B)/embed: src/plan/embed.c $(B)/.flags
	$(build_program) $@ $<

build/core/estimate/marks.h: core/mark.c core/estimate/symbols.def core/estimate/stage.def core/plan/framework.def core/plan/rule.def
	@mkdir -p $(@D)
	$(build_program) $@.$$$$ $< && $@.$$$$ >$@.$$$$.tmp && mv $@.$$$$.tmp $@ && rm $@.$$$$

$(B)/embedded.c: $(B)/embed $(DATA) $(B)/.data
	$(call say,EMBED,$@)$(B)/embed $(DATA) > $@.tmp && mv $@.tmp $@

$(B)/terminals.c: $(B)/.flags
	$(call say,EMBED,$@){ echo '#include "src/cli/terminals.h"'; echo 'const struct terminal terminals[] = {'; \
	for name in $(TERMINALS); do \
	    text=$$(infocmp -x -Q2 "$$name" | sed -n '/^b64:/,$$p' | tr -d '\n'); \
	    [ -n "$$text" ] || { echo "terminals: infocmp of ncurses 6.1 or later does not know $$name" >&2; exit 1; }; \
	    echo "    {\"$$name\", \"$$text\"},"; \
	done; echo '    {0}};'; } >$@.tmp && mv $@.tmp $@

$(B)/cjson/cJSON.c:
	$(call say,GET,$@).ci/cjson $@

$(B)/cjson.o: $(CJSON) $(B)/.flags
$(B)/embedded.o: $(B)/embedded.c
$(B)/terminals.o: $(B)/terminals.c
$(B)/commit.o: $(B)/commit.c
$(B)/cjson.o $(B)/embedded.o $(B)/terminals.o $(B)/commit.o:
	$(call say,CC,$<)$(CC) $(ALL_CPPFLAGS) -std=c11 $(FLAGS_$(VARIANT)) $(CFLAGS) -MMD -MP -c $< -o $@

# Stamps that change when what they hold does: how to compile, how to link, the list of data files.
$(B)/.flags: HOLDS = $(CC) $(HOSTCC) $(ALL_CPPFLAGS) $(ALL_CFLAGS)
$(B)/.link: HOLDS = $(CC) $(ALL_LDFLAGS) $(LIBS) $(TEST_LIBS)
$(B)/.data: HOLDS = $(DATA)
$(B)/.version: HOLDS = $(VERSION) $(COMMIT)
$(B)/.flags $(B)/.link $(B)/.data $(B)/.version: FORCE
	@mkdir -p $(@D)
	@echo '$(HOLDS)' | cmp -s - $@ || echo '$(HOLDS)' > $@
FORCE:
$(PROGRAM) $(LIBRARY) $(TESTS) $(B)/tests/bench/bench: $(B)/.link

# ---- tests ----------------------------------------------------------------------------------------------------------
# Tests link libraries, so that a part under construction stops only the tests of that part.
$(B)/libcore.a: $(CORE_OBJECTS)
$(B)/libtree.a: $(OBJECTS)
$(B)/lib%.a:
	@rm -f $@ && $(AR) rcs $@ $^

$(CORE_TESTS): $(B)/%: $(B)/%.o $(B)/libcore.a
	$(link) $(TEST_LIBS) -lm

$(B)/tests/pty/test_pty: $(B)/%: $(B)/%.o $(B)/tests/pty/pty.o $(B)/libcore.a
	$(link) $(TEST_LIBS) $(PTY_LIBS) -lm

# What the program asks of the terminal and the clock is answered by tests/pty/line.c.
LINE_CALLS := poll read write clock_gettime isatty tcgetattr tcsetattr ioctl
$(B)/tests/pty/test_line: $(B)/%: $(B)/%.o $(B)/tests/pty/line.o $(B)/libtree.a
	$(link) $(addprefix -Wl$(comma)--wrap=,$(LINE_CALLS)) $(LIBS) $(TEST_LIBS)

# A process is killed at each of these calls, and waits for no disk.
WRITE_CALLS := write ftruncate fsync rename unlink close
$(B)/tests/unit/test_write $(B)/tests/unit/test_faults: private ALL_LDFLAGS += $(addprefix -Wl$(comma)--wrap=,$(WRITE_CALLS))
ALLOCATIONS := malloc calloc realloc strdup strndup vasprintf
$(B)/tests/unit/test_memory: private ALL_LDFLAGS += $(addprefix -Wl$(comma)--wrap=,$(ALLOCATIONS))
$(B)/tests/unit/test_batch: private ALL_LDFLAGS += -Wl,--wrap=estimate_plan -Wl,--wrap=range_time

$(B)/tests/screens/test_screens: $(B)/tests/screens/structure.o
$(filter-out $(CORE_TESTS),$(UNIT_TESTS)) $(B)/tests/screens/test_screens: $(B)/%: $(B)/%.o $(B)/libtree.a
	$(link) $(LIBS) $(TEST_LIBS)

$(B)/tests/screens/test_golden: $(B)/%: $(B)/%.o $(B)/libcore.a
	$(link) $(TEST_LIBS) -lm

$(CORE_REPLAYS): $(B)/tests/fuzz/replay_%: $(B)/tests/fuzz/fuzz_%.o $(B)/tests/fuzz/replay.o $(B)/libcore.a
	$(link) $(TEST_LIBS) -lm

$(filter-out $(CORE_REPLAYS),$(REPLAYS)): $(B)/tests/fuzz/replay_%: $(B)/tests/fuzz/fuzz_%.o $(B)/tests/fuzz/replay.o $(B)/libtree.a
	$(link) $(LIBS) $(TEST_LIBS)

run_tests = @SHARDTOP=$(PROGRAM) VARIANT=$(VARIANT) B=$(B) CC='$(CC)' CFLAGS='$(PACKAGE_CFLAGS)' tests/run
test: $(PROGRAM) $(UNIT_TESTS) ## run the unit tests and reports, a minute on two cores (`make check` runs every test)
	$(run_tests) tests/cli/run.sh tests/cli/readme $(UNIT_TESTS)

tests: $(PROGRAM) $(if $(filter release,$(VARIANT)),$(LIBRARY)) $(TESTS)
	$(run_tests) $(SCREEN_TESTS) $(SCRIPTS) $(UNIT_TESTS) $(REPLAYS)

strings: ## print every string of the sources that a user may read, with its place
	@tests/rules/strings

snapshots: $(PROGRAM) $(B)/tests/screens/test_golden ## rewrite the expected screens and reports; review the diff
	@UPDATE=1 SHARDTOP=$(PROGRAM) $(B)/tests/screens/test_golden >/dev/null; SHARDTOP=$(PROGRAM) tests/cli/run.sh --update
	@SHARDTOP=$(PROGRAM) tests/screens/picture --update; SHARDTOP=$(PROGRAM) tests/cli/readme --update >/dev/null
	@git --no-pager diff --stat tests/screens tests/cli README.md

$(B)/tests/bench/bench: $(B)/tests/bench/bench.o $(B)/tests/pty/pty.o $(B)/libtree.a
	$(link) $(LIBS) $(TEST_LIBS) $(PTY_LIBS)

bench: $(PROGRAM) $(B)/tests/bench/bench ## measure speed and screen traffic against their budgets
	@SHARDTOP=$(PROGRAM) $(B)/tests/bench/bench

RUNS ?= tests/data/runs.csv
TIMED ?= tests/data/runs.csv tests/data/new_sources.csv tests/data/measured_h100.csv
validate: $(PROGRAM) ## errors against measured runs; with AGAINST=COMMIT, or an answer saved with --csv, what changed since
	@tests/validate/run $(PROGRAM) '$(RUNS)' '$(AGAINST)'

ranges: $(PROGRAM) ## fit core/estimate/sigma.def, how far estimates of time may be off, to the tables of TIMED
	@sed '/^SIGMA\|^ENDS/d' core/estimate/sigma.def | sed '/^#undef/d' >$(B)/sigma.def
	@$(PROGRAM) validate $(TIMED) --ranges | grep '^SIGMA\|^ENDS' >>$(B)/sigma.def
	@printf '#undef SIGMA\n#undef ENDS\n' >>$(B)/sigma.def
	@mv $(B)/sigma.def core/estimate/sigma.def && git diff --stat -- core/estimate/sigma.def

# Says which unit tests of the core notice a changed formula; MUTATE passes options: --count, --seed, --file, --floor.
.PHONY: check-starts
STARTS_PLANS ?= 2000
STARTS_TREES = $(if $(MEGATRON),--tree $(MEGATRON)) $(if $(MEGATRON014),--core-tree $(MEGATRON014)) \
               $(if $(NANOTRON),--nanotron $(NANOTRON)) $(if $(DEEPSPEED),--deepspeed $(DEEPSPEED)) \
               $(if $(TORCHTITAN),--torchtitan $(TORCHTITAN))
check-starts: $(PROGRAM) ## give search winners, advice and random plans to the frameworks' own checks (MEGATRON=DIR MEGATRON014=DIR ...)
	@if [ -z "$(strip $(STARTS_TREES))" ]; then \
	    echo 'check-starts: skipped, needs checkouts: MEGATRON=DIR MEGATRON014=DIR NANOTRON=DIR DEEPSPEED=DIR TORCHTITAN=DIR'; exit 0; fi; \
	command -v python3 >/dev/null || { echo 'check-starts: needs python3'; exit 1; }; \
	python3 tests/starts/starts.py $(STARTS_TREES) --shardtop $(PROGRAM) --cases tests/starts/cases.json --features --advice \
	    --random $(STARTS_PLANS)

.PHONY: mutate
mutate: build/core/estimate/marks.h ## change formulas one at a time in a copy and count the changes that tests notice (needs python3)
	@if command -v python3 >/dev/null; then CC='$(CC)' nice -n 19 tests/mutate/mutate.py $(MUTATE); \
	    else echo 'mutate: skipped, needs python3'; fi

# libFuzzer comes with clang; without it `make check` still replays the inputs of tests/fuzz/corpus.
fuzz: ## fuzz every target: FUZZ_AMOUNT seconds in all, or 500x for that many fixed inputs each (needs clang)
	@if ! echo 'int main(void){return 0;}' | clang -fsanitize=fuzzer-no-link,address -x c - -o /dev/null 2>/dev/null; then \
	    echo 'fuzz: skipped, needs clang with its fuzzer (Debian: clang libclang-rt-14-dev)'; exit 0; fi; \
	$(MAKE) --no-print-directory VARIANT=fuzz CC=clang fuzzers && tests/fuzz/run $(FUZZ_AMOUNT) $(FUZZERS)

# Of the corpora and their neighbours, which libFuzzer begins with: lines of a folder that any of them reaches.
COVERED := core/search core/explain src/export src/course src/runs
COVERED_LEAST ?= 80
.PHONY: fuzz-coverage fuzz-covered
fuzz-coverage: ## print which share of the lines of COVERED folders the inputs of fuzzing reach; fails below COVERED_LEAST percent
	@$(MAKE) --no-print-directory VARIANT=cov fuzz-covered
fuzz-covered: $(REPLAYS)
	@find $(B) -name '*.gcda' -delete; for replay in $(REPLAYS); do $$replay >/dev/null 2>&1 || echo "$$replay failed"; done
	@low=0; for folder in $(COVERED); do gcov -n -o $(B)/$$folder $$folder/*.c 2>/dev/null | awk -v folder=$$folder '/^File/ { own = index($$0, "\x27" folder "/") } \
	    /^Lines executed/ && own { split($$2, part, /[:%]/); lines += $$4; hit += part[2] * $$4 / 100; own = 0 } END { printf "%-14s %5.1f %% of %d lines\n", folder, 100 * hit / lines, lines; \
	    exit (100 * hit < $(COVERED_LEAST) * lines) }' || low=1; done; exit $$low

fuzzers: $(FUZZERS)
CORE_FUZZERS := $(filter-out $(patsubst %.c,build/fuzz/%,$(call above_core,tests/fuzz/fuzz_*.c)),$(FUZZERS))
$(CORE_FUZZERS): build/fuzz/tests/fuzz/%: build/fuzz/tests/fuzz/%.o $(B)/libcore.a
	$(link) -fsanitize=fuzzer -lm
$(filter-out $(CORE_FUZZERS),$(FUZZERS)): build/fuzz/tests/fuzz/%: build/fuzz/tests/fuzz/%.o $(B)/libtree.a
	$(link) -fsanitize=fuzzer $(LIBS)

# ---- advice ---------------------------------------------------------------------------------------------------------
LINT := clang-analyzer-*,-clang-analyzer-security.insecureAPI.*,-clang-analyzer-valist.*,-clang-analyzer-optin.performance.*,bugprone-*
LINT := $(LINT),-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier,-bugprone-macro-parentheses,-bugprone-sizeof-expression
LINT := $(LINT),-bugprone-narrowing-conversions,-bugprone-assignment-in-if-condition,-bugprone-implicit-widening-of-multiplication-result
LINT := $(LINT),-bugprone-suspicious-memory-comparison,-bugprone-not-null-terminated-result,-bugprone-integer-division

lint: ## advice of clang-tidy and cppcheck, where they are installed
	@if command -v clang-tidy >/dev/null; then clang-tidy --quiet --checks='$(LINT)' $(CORE) $(UI) src/main.c $(wildcard src/*/*.c src/*/*/*.c) \
	    -- -std=c11 $(ALL_CPPFLAGS) $(PACKAGE_CFLAGS) 2>/dev/null; else echo 'lint: no clang-tidy, skipped'; fi
	@if command -v cppcheck >/dev/null; then cppcheck -q -j2 --std=c11 --enable=warning,performance,portability --inline-suppr \
	    --suppress=missingIncludeSystem --suppress=ctuuninitvar --error-exitcode=1 $(ALL_CPPFLAGS) core src ui; else echo 'lint: no cppcheck, skipped'; fi

# ---- installing -----------------------------------------------------------------------------------------------------
INSTALL ?= install
STRIP   ?= strip
prefix  ?= $(PREFIX)
bindir  ?= $(prefix)/bin
datadir ?= $(prefix)/share
mandir  ?= $(datadir)/man
libdir  ?= $(prefix)/lib
includedir ?= $(prefix)/include
INSTALLED_PROGRAM = $(DESTDIR)$(bindir)/shardtop
INSTALLED_LIBRARY = $(DESTDIR)$(libdir)/$(SONAME)
INSTALLED_LINK    = $(DESTDIR)$(libdir)/libshardtop.so
INSTALLED_HEADER  = $(DESTDIR)$(includedir)/shardtop.h
INSTALLED_PC      = $(DESTDIR)$(libdir)/pkgconfig/shardtop.pc
INSTALLED_MAN     = $(DESTDIR)$(mandir)/man1/shardtop.1
INSTALLED_PLAN    = $(DESTDIR)$(mandir)/man5/shardtop-plan.5
INSTALLED_JSON    = $(DESTDIR)$(mandir)/man5/shardtop-json.5
INSTALLED_LESSON  = $(DESTDIR)$(mandir)/man5/shardtop-lesson.5
TOPICS            = $(notdir $(basename $(wildcard src/cli/docs/pages/*.md)))
INSTALLED_TOPICS  = $(TOPICS:%=$(DESTDIR)$(mandir)/man7/shardtop-%.7)
INSTALLED_BASH    = $(DESTDIR)$(datadir)/bash-completion/completions/shardtop
INSTALLED_ZSH     = $(DESTDIR)$(datadir)/zsh/site-functions/_shardtop
INSTALLED_FISH    = $(DESTDIR)$(datadir)/fish/vendor_completions.d/shardtop.fish
INSTALLED = $(INSTALLED_PROGRAM) $(INSTALLED_LIBRARY) $(INSTALLED_LINK) $(INSTALLED_HEADER) $(INSTALLED_PC) $(INSTALLED_MAN) \
    $(INSTALLED_PLAN) $(INSTALLED_JSON) $(INSTALLED_LESSON) $(INSTALLED_TOPICS) \
    $(INSTALLED_BASH) $(INSTALLED_ZSH) $(INSTALLED_FISH)

install: $(PROGRAM) $(LIBRARY) ## install program, library, man pages and completions (DESTDIR, prefix, bindir ...; STRIP=: keeps symbols)
	@mkdir -p $(dir $(INSTALLED))
	$(INSTALL) -m 755 $(PROGRAM) $(INSTALLED_PROGRAM)
	$(INSTALL) -m 644 $(LIBRARY) $(INSTALLED_LIBRARY)
	$(STRIP) $(INSTALLED_PROGRAM) $(INSTALLED_LIBRARY)
	ln -sf $(SONAME) $(INSTALLED_LINK)
	$(INSTALL) -m 644 src/lib/shardtop.h $(INSTALLED_HEADER)
	printf '%s\n' 'libdir=$(libdir)' 'includedir=$(includedir)' 'Name: shardtop' 'Version: $(VERSION)' \
	    'Description: memory, time and cost of training large language models' \
	    'Libs: -L$${libdir} -lshardtop' 'Cflags: -I$${includedir}' >$(INSTALLED_PC)
	$(EMULATOR) $(PROGRAM) man >$(INSTALLED_MAN)
	$(EMULATOR) $(PROGRAM) man plan >$(INSTALLED_PLAN)
	$(EMULATOR) $(PROGRAM) man json >$(INSTALLED_JSON)
	$(EMULATOR) $(PROGRAM) man lesson >$(INSTALLED_LESSON)
	for topic in $(TOPICS); do $(EMULATOR) $(PROGRAM) man $$topic >$(DESTDIR)$(mandir)/man7/shardtop-$$topic.7 || exit; done
	$(EMULATOR) $(PROGRAM) completion bash >$(INSTALLED_BASH)
	$(EMULATOR) $(PROGRAM) completion zsh >$(INSTALLED_ZSH)
	$(EMULATOR) $(PROGRAM) completion fish >$(INSTALLED_FISH)

uninstall: ## remove what install wrote
	rm -f $(INSTALLED)

check-install: ## install into build/stage, run from there, uninstall
	@rm -rf build/stage && $(MAKE) --no-print-directory DESTDIR=$(CURDIR)/build/stage PREFIX=/usr bindir=/opt/bin install >/dev/null
	@cd build/stage && env -i HOME=/nonexistent opt/bin/shardtop show </dev/null >report.txt && test -s report.txt && rm report.txt
	@cd build/stage && sed "s|=/usr|=$$PWD/usr|" usr/lib/pkgconfig/shardtop.pc >shardtop.pc && $(CC) $(CURDIR)/tests/examples/estimate.c \
	    $$(PKG_CONFIG_PATH=$$PWD $(PKG_CONFIG) --cflags --libs shardtop) -o estimate && LD_LIBRARY_PATH=$$PWD/usr/lib $(EMULATOR) ./estimate >estimates \
	    && test -s estimates && rm estimates estimate shardtop.pc
	@cd build/stage/usr/share && test -s man/man1/shardtop.1 && test -s man/man5/shardtop-plan.5 && test -s man/man5/shardtop-json.5 && test -s man/man5/shardtop-lesson.5 && bash -n bash-completion/completions/shardtop
	@$(MAKE) --no-print-directory DESTDIR=$(CURDIR)/build/stage PREFIX=/usr bindir=/opt/bin uninstall >/dev/null
	@test -z "$$(find build/stage ! -type d)" && echo 'check-install: ok'

# ---- carrying elsewhere ---------------------------------------------------------------------------------------------
.PHONY: static check-static check-musl dist deb wheel check-wheel
# Another machine's libraries are where its compiler's are: PKG_CONFIG_LIBDIR says so to pkg-config.
STATIC_ENV = $(if $(filter $(shell cc -dumpmachine 2>/dev/null),$(MACHINE)),,PKG_CONFIG_LIBDIR=/usr/lib/$(MACHINE)/pkgconfig)
static: ## one file that needs no other, build/static-*/shardtop (CC=aarch64-linux-gnu-gcc for that machine)
	@CC='$(CC)' CJSON='$(CJSON)' .ci/need static
	@$(STATIC_ENV) $(MAKE) --no-print-directory VARIANT=static all

# WHEEL_CC: the compiler of each machine that gets a wheel.
WHEEL_CC ?= $(CC) $(if $(shell command -v aarch64-linux-gnu-gcc 2>/dev/null),aarch64-linux-gnu-gcc)
wheel: ## Python wheels with the static program in build/wheel (WHEEL_CC)
	@CJSON='$(CJSON)' .ci/need wheel $(WHEEL_CC)
	@for cc in $(WHEEL_CC); do $(MAKE) --no-print-directory CC=$$cc static || exit; done
	@.ci/wheel $(VERSION) $(foreach cc,$(WHEEL_CC),build/static-$(firstword $(subst -, ,$(shell $(cc) -dumpmachine)))/shardtop)

check-wheel: wheel ## install the wheel into a new environment without a network and use it
	@.ci/check-wheel

check-static: ## run the static programs in an empty root, and of another machine under qemu
	@.ci/static $(wildcard build/static-*/shardtop)

check-musl: ## compile every source with musl's headers
	@.ci/musl

DIST_CC ?= $(WHEEL_CC)
dist: ## source archive, static programs (DIST_CC), notices and checksums in build/dist
	@CJSON='$(CJSON)' .ci/need dist $(DIST_CC)
	@CJSON='$(CJSON)' .ci/dist $(VERSION) $(DIST_CC)

deb: ## a Debian package in build/deb
	@.ci/need deb
	@.ci/deb $(VERSION)

# ROOTS: which Debian releases; ROOT_CC: with which compiler of theirs.
check-roots: ## `make run` and `make check` from nothing in bare roots of Debian (ROOTS="trixie sid" ROOT_CC=clang)
	@ROOT_CC='$(ROOT_CC)' STRICT='$(STRICT)' .ci/roots $(ROOTS)

clean: ## remove what was built
	rm -rf build

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "%-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

-include $(OBJECTS:.o=.d) $(B)/src/main.d $(addsuffix .d,$(UNIT_TESTS) $(SCREEN_TESTS)) $(wildcard $(B)/tests/*/*.d)
