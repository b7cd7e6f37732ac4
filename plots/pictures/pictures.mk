# The lessons' pictures: part of the Makefile. They come from the simulator, so a
# build for a GPU hands over.
pictures_stages := 1 2 3 4 5
pictures_mutants := 03_no_padding
pictures_bin = $(BUILD)/cpu-check
pictures_make = $(MAKE) --no-print-directory BACKEND=cpu SIM=check
pictures_built = $(pictures_make) MUTANT= $(pictures_stages:%=$(pictures_bin)/stage%) && \
  for m in $(pictures_mutants); do \
    n=$${m%%_*}; $(pictures_make) -s MUTANT=$$m $(pictures_bin)/mutants/$$m/stage$${n\#0} || exit; done

pictures:  ## draw the lessons' pictures from the simulator's traces
	+@$(pictures_built)
	@BIN='$(pictures_bin)' sh plots/pictures/pictures.sh

# What they are made from, as checksums: for tests/pictures.t.
pictures-data:
	+@{ $(pictures_built); } >&2
	@BIN='$(pictures_bin)' sh plots/pictures/pictures.sh --data

.PHONY: pictures pictures-data
