# stepledger: the one Makefile. `make help` lists the targets; files are found by wildcards, so a
# new source, query, migration or test needs no line here.
#
# `make demo`, `check`, `lint`, `fuzz` and `cover` install what they need first (ops/setup, silent
# when all is there) and then start make once more, because a Makefile cannot use a pkg-config that
# its own recipe installs. Nothing is written outside $(BUILD).
#
# Variables: V=1 shows the commands   SAN=address,undefined builds with sanitizers, apart
#            WERROR=1 makes warnings errors   T=text picks tests by name   JOBS=n   CC=clang-14

VERSION := 0.1.0
ifeq ($(origin CC),default)
CC := gcc
endif
BUILD   ?= build
PREFIX  ?= /usr/local
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)
# Tests wait for doubles and clocks a fifth of their time: one more than there are processors runs.
TEST_JOBS ?= $(if $(filter file,$(origin JOBS)),$(shell expr $(JOBS) + 1),$(JOBS))
SECS    ?= 60
# For the shell, not for make: make expands a recipe before its first line installs anything.
CLANG   ?= $$(command -v clang-14 || echo clang)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
Q := $(if $(V),,@)
say = $(if $(V),@:,@printf '  %-4s %s\n')

# One folder of objects per kind of build; what is generated is the same for all of them.
VARIANT ?= $(if $(SAN),san,release)
B       := $(BUILD)/$(VARIANT)
GEN     := $(BUILD)/gen
BIN     := $(if $(filter release,$(VARIANT)),$(BUILD)/stepledger,$(B)/stepledger)

# --- what there is -------------------------------------------------------------------------------
# Floors, and below them their rooms.
FLOORS  := ops/runtime schema ops/net ingest history compare alerts ops/present \
    ops/flow ops/serve ops/cli
SRCS    := $(wildcard $(FLOORS:=/*.c) $(FLOORS:=/*/*.c))
MAIN    := ops/cli/main.c
PROTOS  := $(wildcard schema/*.proto)
QUERIES := $(wildcard history/sql/*.sql) $(GEN)/rows.sql
MIGRATIONS := $(wildcard schema/migrations/[0-9][0-9][0-9][0-9]_*.sql)
OPERATIONS := $(wildcard ops/net/wandb/operations/*.graphql)

GEN_SRCS := $(PROTOS:schema/%.proto=$(GEN)/%.pb-c.c)
ifneq ($(wildcard history/embed.awk),)
GEN_SRCS += $(GEN)/queries.c
endif
ifneq ($(wildcard history/embed_migrations.awk),)
GEN_SRCS += $(GEN)/migrations.c
endif
GEN_SRCS += $(GEN)/wandb_operations.c
GEN_HDRS := $(GEN_SRCS:.c=.h)

objs      = $(patsubst %.c,$(B)/obj/%.o,$(1))
GEN_OBJS := $(GEN_SRCS:$(GEN)/%.c=$(B)/obj/gen/%.o)
LIB      := $(B)/libstepledger.a
LIB_OBJS := $(call objs,$(filter-out $(MAIN),$(SRCS))) $(GEN_OBJS)

SUPPORT  := $(wildcard tests/support/*.c)
C_TESTS  := $(wildcard tests/unit/*_test.c tests/db/*_test.c tests/e2e/*_test.c)
REPLAYS  := $(filter-out tests/fuzz/replay.c,$(wildcard tests/fuzz/*.c))
SCRIPTS  := $(wildcard tests/*/*_test.sh tests/*/*_test.py tests/support/test_*.py)
picked    = $(if $(T),$(foreach f,$(1),$(if $(findstring $(T),$(f)),$(f))),$(1))
TEST_BINS = $(patsubst %.c,$(B)/%,$(call picked,$(C_TESTS))) \
    $(patsubst %.c,$(B)/%_replay,$(call picked,$(REPLAYS)))
# Unit tests and replays never start the program: with T=text they need not wait for it.
NEED_BIN  = $(if $(call picked,$(filter-out tests/unit/%,$(C_TESTS) $(SCRIPTS))),$(BIN))
MEASURES  = $(patsubst %.c,$(B)/%,$(call picked,$(wildcard $(foreach e,c sh py,tests/$(M)/*.$(e)))))

# --- how it is compiled --------------------------------------------------------------------------
PKGS := libpq libprotobuf-c libcurl jansson libcrypto zlib libisal inih libmicrohttpd librsvg-2.0 \
    sqlite3
# Asked once, on first use: `make help` and `make setup` must work before pkg-config is there.
pkg = $(or $(shell pkg-config $(1) 2>/dev/null),$(error libraries are missing; run: make setup))
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(call pkg,--cflags $$(PKGS)))$(PKG_CFLAGS)
PKG_LIBS   = $(eval PKG_LIBS := $$(call pkg,--libs $$(PKGS)))$(PKG_LIBS)

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla \
    -Wformat=2 -Wwrite-strings $(if $(WERROR),-Werror)
# Aligned: where the decoder's small functions happen to lie moved reading by a tenth and more.
OPTIMIZE_release := -O2 -falign-functions=64 -fstack-protector-strong -D_FORTIFY_SOURCE=2 \
    -fstack-clash-protection $(if $(filter x86_64,$(shell uname -m)),-fcf-protection)
OPTIMIZE_san     := -O1 -fno-omit-frame-pointer -fsanitize=$(SAN) -fno-sanitize-recover=all
# Not with gcc 12: what it clears then of padding is in part the member behind an array of structs.
OPTIMIZE_fuzz    := $(OPTIMIZE_san) -ftrivial-auto-var-init=pattern
OPTIMIZE_cover   := -O0 --coverage
# clang is asked for its warnings alone, which come before it optimizes.
OPTIMIZE_clang   := -O0 -g0
OPTIMIZE := $(or $(OPTIMIZE_$(VARIANT)),$(OPTIMIZE_release))
LINK_release := -Wl,-z,relro,-z,now
LINK_san     := -fsanitize=$(SAN)
LINK_fuzz    := $(LINK_san)
LINK_cover   := --coverage

BASE_CFLAGS = -std=gnu17 -D_GNU_SOURCE= -g -fPIE $(OPTIMIZE) -ffile-prefix-map=$(CURDIR)=. \
    -I. -I$(GEN) $(PKG_CFLAGS) -DSTEPLEDGER_VERSION='"$(VERSION)"'
ALL_CFLAGS  = $(BASE_CFLAGS) $(WARNINGS) $(CPPFLAGS) $(CFLAGS)
ALL_LDFLAGS = -pie $(LINK_$(VARIANT)) -Wl,--as-needed $(LDFLAGS)
ALL_LIBS    = $(LIB) $(PKG_LIBS) -lpthread -lm

.PHONY: all objects setup demo check lint bench soak soak-alerts accuracy fuzz cover golden install
.PHONY: clean help external torture measure
.PHONY: FORCE check-now measure-now lint-rules

all: $(BIN)  ## build build/stepledger

# A file that changes only when the text in it does: other flags or a source that went away rebuild.
stamp = $(Q)mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(1))' >$@.new; \
    if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$(B)/flags: FORCE
	$(call stamp,$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS))
$(B)/objects: FORCE
	$(call stamp,$(LIB_OBJS))
$(GEN)/inputs: FORCE
	$(call stamp,$(QUERIES) $(MIGRATIONS) $(OPERATIONS))

$(B)/obj/gen/%.o: $(GEN)/%.c $(B)/flags | $(GEN_HDRS)
	$(call say) CC $<
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(BASE_CFLAGS) -w $(CFLAGS) -MMD -MP -c -o $@ $<

$(B)/obj/%.o: %.c $(B)/flags | $(GEN_HDRS)
	$(call say) CC $<
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(LIB): $(LIB_OBJS) $(B)/objects
	$(call say) AR $@
	$(Q)rm -f $@ && ar rcs $@ $(LIB_OBJS)
	$(Q)twice=$$(nm -g --defined-only $@ | awk '$$2 ~ /[TDBR]/ {print $$3}' | sort | uniq -d); \
	    [ -z "$$twice" ] || { echo "defined twice, and the linker takes either: $$twice"; \
	    rm -f $@; exit 1; }

$(BIN): $(call objs,$(MAIN)) $(LIB)
	$(call say) LD $@
	$(Q)$(CC) $(CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(ALL_LIBS)

# --- generated sources ---------------------------------------------------------------------------
$(GEN)/%.pb-c.c: schema/%.proto
	$(call say) GEN $@
	$(Q)mkdir -p $(@D) && protoc-c --proto_path=schema --c_out=$(GEN) $<
$(GEN)/%.pb-c.h: $(GEN)/%.pb-c.c ;

$(GEN)/rows.sql: history/row_statements.awk history/rows.tables
	$(call say) GEN $@
	$(Q)mkdir -p $(@D) && awk -f $^ >$@.new && mv $@.new $@
$(GEN)/queries.%: history/embed.awk $(QUERIES) $(GEN)/inputs
	$(call say) GEN $@
	$(Q)awk -v header=$(if $(filter h,$*),1,0) -f $< $(QUERIES) </dev/null >$@
$(GEN)/migrations.%: history/embed_migrations.awk $(MIGRATIONS) $(GEN)/inputs
	$(call say) GEN $@
	$(Q)awk -v header=$(if $(filter h,$*),1,0) -f $< $(MIGRATIONS) </dev/null >$@
$(GEN)/wandb_operations.%: ops/net/wandb/operations/embed.awk $(OPERATIONS) $(GEN)/inputs
	$(call say) GEN $@
	$(Q)awk -v header=$(if $(filter h,$*),1,0) -f $< $(OPERATIONS) </dev/null >$@

# --- tests ---------------------------------------------------------------------------------------
TEST_LIB := $(if $(SUPPORT),$(B)/libsupport.a)
$(B)/libsupport.a: $(call objs,$(SUPPORT))
	$(call say) AR $@
	$(Q)rm -f $@ && ar rcs $@ $^

# A test's own link options stand in its header comment: ` * Link: -Wl,--wrap=malloc`.
link_test = $(CC) $(CFLAGS) $(ALL_LDFLAGS) $$(sed -n 's/^ \* Link: //p' $(1).c) -o $@ \
    $(filter %.o,$^) $(TEST_LIB) $(ALL_LIBS) -lcmocka

$(B)/tests/fuzz/%_replay: $(B)/obj/tests/fuzz/%.o $(B)/obj/tests/fuzz/replay.o $(TEST_LIB) $(LIB)
	$(call say) LD $@
	$(Q)mkdir -p $(@D) && $(call link_test,tests/fuzz/$*)
$(B)/tests/%: $(B)/obj/tests/%.o $(TEST_LIB) $(LIB)
	$(call say) LD $@
	$(Q)mkdir -p $(@D) && $(call link_test,tests/$*)

# For LD_PRELOAD: one fails the n-th call of a program (sanitizers come with a malloc of their own),
# one kills it there.
FAIL_CALL := $(if $(filter san,$(VARIANT)),,$(BUILD)/fail_call.so)
KILL_AT   := $(BUILD)/kill_at.so
$(BUILD)/%.so: tests/support/preload/%.c
	$(call say) LD $@
	$(Q)mkdir -p $(@D) && $(CC) -std=gnu17 -D_GNU_SOURCE= -O2 -g -fPIC -shared \
	    -ftls-model=initial-exec $(WARNINGS) -o $@ $<

again = +@$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS))
ENV = BUILD='$(BUILD)' STEPLEDGER_BIN='$(abspath $(BIN))' \
    STEPLEDGER_FAIL_CALL='$(abspath $(FAIL_CALL))' STEPLEDGER_KILL_AT='$(abspath $(KILL_AT))' \
    STEPLEDGER_SHARED='$(or $(STEPLEDGER_SHARED),$(abspath ../shared))'

setup:  ## install every package the project needs (Debian 12)
	@ops/setup

demo:  ## set up, build, and show a regression being caught
	@ops/setup build
	$(again) all
	@$(ENV) ops/demo

check:  ## set up, build, run the tests (T=text: only those so named; SAN=address,undefined)
	@ops/setup build test
	$(again) check-now
check-now: $(NEED_BIN) $(TEST_BINS) $(if $(NEED_BIN),$(FAIL_CALL) $(KILL_AT))
	@$(ENV) tests/run --jobs $(TEST_JOBS) $(TEST_BINS) $(call picked,$(SCRIPTS))

torture:  ## fail every write, flush, open, rename, allocation, connection of every command (hours)
	@ops/setup build test
	$(again) all $(FAIL_CALL)
	@STEPLEDGER_TORTURE="$(ROW)" $(ENV) tests/run --jobs 1 --seconds 36000 \
	    $(call picked,$(wildcard tests/e2e/faults_*_test.py))

objects: $(call objs,$(SRCS) $(wildcard tests/*/*.c)) $(GEN_OBJS)

lint:  ## check the rules of the code, then compile with clang, warnings being errors
	@ops/setup build test lint
	$(again) -k VARIANT=clang CC="$(CLANG)" WERROR=1 lint-rules objects
lint-rules:
	@ops/ci/lint

bench:  ## speed and memory, as a table (T=text)
soak:  ## hours of work under random kills (T=text SECS=300)
accuracy:  ## how often verdicts are right, by simulation (T=text)
soak-alerts:  ## deliver 3,000 messages while the alerter is killed at random
	@ops/setup build test
	$(again) measure-now M=soak T=alerts
bench soak accuracy:
	@ops/setup build test
	$(again) measure-now M=$@
measure-now: $(BIN) $(KILL_AT) $(MEASURES)
	@[ -n '$(MEASURES)' ] || { echo 'make $(M): there is nothing in tests/$(M) yet'; exit 1; }
	@for p in $(MEASURES); do echo "== $$p"; $(ENV) SECS=$(SECS) $$p || exit 1; done

FUZZ_NAMES = $(REPLAYS:tests/fuzz/%.c=%)
fuzz:  ## feed one parser made-up input (T=target SECS=60)
	@case ' $(FUZZ_NAMES) ' in *' $(or $(T),none) '*) ;; *) \
	    echo 'make fuzz T=target, target one of: $(or $(FUZZ_NAMES),(none yet))'; exit 1;; esac
	@ops/setup build fuzz
	$(again) VARIANT=fuzz CC="$(CLANG)" SAN=fuzzer-no-link,address,undefined \
	    $(BUILD)/fuzz/fuzz_$(T)
	@mkdir -p $(BUILD)/fuzz/found/$(T)
	$(BUILD)/fuzz/fuzz_$(T) -max_total_time=$(SECS) -timeout=10 -rss_limit_mb=2048 \
	    -artifact_prefix=$(BUILD)/fuzz/$(T)- $(BUILD)/fuzz/found/$(T) \
	    $(wildcard tests/corpus/$(T))
$(B)/fuzz_%: $(B)/obj/tests/fuzz/%.o $(TEST_LIB) $(LIB)
	$(call say) LD $@
	$(Q)$(CC) -fsanitize=fuzzer $(ALL_LDFLAGS) -o $@ $< $(TEST_LIB) $(ALL_LIBS)

cover:  ## run the tests and show which lines they reach
	@ops/setup build test cover
	$(again) VARIANT=cover check-now
	gcovr --root . --object-directory $(BUILD)/cover --exclude tests --exclude $(BUILD) \
	    --html-details $(BUILD)/cover/index.html --print-summary $(BUILD)/cover/obj

measure:  ## the house in numbers: lines, files, functions, circles, places of equal shape
	@ops/setup build lint
	@ops/ci/measure

external: all  ## put what is sent before packages of npm that nobody here wrote
	@BUILD='$(BUILD)' $(ENV) tests/external/run

golden: all  ## rewrite tests/golden from the present output (T=text: of tests so named); review it
	@[ -x tests/golden/regenerate ] || { echo 'make golden: no tests/golden/regenerate'; exit 1; }
	@$(ENV) tests/golden/regenerate $(if $(T),'$(T)')

install: all  ## copy the program to $(DESTDIR)$(PREFIX)/bin
	install -D -m 755 $(BIN) '$(DESTDIR)$(PREFIX)/bin/stepledger'

clean:  ## remove what was built
	$(Q)rm -rf '$(BUILD)'

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*  ## /    make \1\t/p' Makefile | expand -t 22

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
