# Measuring, drawing and the READMEs' tables: part of the Makefile. The scripts say
# which variables they take; on make's command line they reach them.
REFERENCE := nvidia_h200
export REFERENCE

ifeq ($(use),cuda)
$(S)/card: $(B)/card.o $(objects)
	$(call say,LINK,$(@F)) $(shown) $(link)
bench: $(STAGES:%=$(S)/%) $(S)/card
endif
bench:  ## measure the stages and cuBLAS on this GPU (SHAPES=, FRESH=1)
	@BIN='$(S)' BACKEND=$(use) sh plots/bench.sh

plots:  ## draw what was measured (CARD=, TERMINAL=dumb)
	@sh plots/plot.sh

readme:  ## make the tables in the READMEs anew
	@sh plots/readme.sh

# The simulator counts, with its checks; so the GPU's build hands over.
ifeq ($(use)$(SIM),cpucheck)
traffic: $(STAGES:%=$(S)/%)  ## count bytes per multiply-add on the simulator
	@BIN='$(S)' sh plots/traffic.sh
else
traffic:
	@$(MAKE) --no-print-directory BACKEND=cpu SIM=check traffic
endif

.PHONY: bench plots readme traffic
