# The lessons' pictures: part of the Makefile. They come from the simulator, so a
# build for a GPU hands over.
pictures_stages := 1 2 3 4 5
pictures_mutants := 03_no_padding
pictures_make = $(MAKE) -s --no-print-directory BACKEND=cpu SIM=check
pictures_built = $(pictures_make) MUTANT= $(pictures_stages:%=build/cpu-check/stage%) && \
  for m in $(pictures_mutants); do \
    n=$${m%%_*}; $(pictures_make) MUTANT=$$m build/cpu-check/mutants/$$m/stage$${n\#0} || exit; done

pictures:  ## draw the lessons' pictures from the simulator's traces
	@($(pictures_built)) | grep -v '^Backend'; sh plots/pictures/pictures.sh

# What they are made from, as checksums: for tests/pictures.t.
pictures-data:
	@($(pictures_built)) >&2; sh plots/pictures/pictures.sh --data

.PHONY: pictures pictures-data
