# plans.mk - a rule for a folder of plans and launch scripts: `make -f plans.mk` says of each that it fits, and stops at
# one that does not; `make -f plans.mk figures` draws them. What was not changed is not looked at again.
SHARDTOP ?= shardtop
PLANS := $(wildcard *.yaml *.sh)

all: $(PLANS:=.fits)
figures: $(PLANS:=.memory.svg)

%.fits: %
	$(SHARDTOP) show --check $< >$@.part && mv $@.part $@

%.memory.svg: %
	$(SHARDTOP) show --svg --section memory -o $@ $<
