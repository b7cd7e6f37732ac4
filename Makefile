# A staged SGEMM course in CUDA C. `make help` lists what there is.
#
#   BACKEND=auto|cuda|cpu   auto: cuda where nvcc and a GPU are, else the simulator
#   ARCH=sm_90              GPU architecture (default: the GPU's; without one, sm_80)
#   BUILD=/some/folder      build there and leave the checkout alone (default: build)
#   SIM=check|fast          the simulator with its checks (default), or without
#   MUTANT=03_early_return  a stage with a fault planted by tests/mutants/NAME.sed
letters := $(filter-out --%,$(firstword $(MAKEFLAGS)))
quiet := $(if $(findstring =,$(letters)),,$(findstring s,$(letters)))# make -s
MAKEFLAGS += --no-builtin-rules
export LC_ALL := C
unexport CDPATH
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:

ifeq ($(wildcard common/stage.h),)
$(error run make in the course's own folder: make -C FOLDER)
endif

DIRS   := 01_micro_4x4 02_warp_16x16 03_tiled_shared 04_register_tiled 05_cp_async_pipeline
STAGES := stage1 stage2 stage3 stage4 stage5
dir_of  = $(filter 0$(1)_%,$(DIRS))
# What a beginner, or a shell that completes names, may take for a goal.
folders := $(foreach d,tests common build $(DIRS),$d $d/) plots/

# ---- which backend ----------------------------------------------------------
BACKEND ?= auto
BUILD   ?= build
hash := \#
# As make itself would write it.
override BUILD := $(patsubst %/,%,$(patsubst %/,%,$(patsubst ./%,%,$(patsubst ~/%,$(HOME)/%,$(BUILD)))))
odd := $(foreach c,% : = $(hash) ' " ` ( ) * ? [ ] \ ; & | < > $$,$(findstring $c,$(BUILD))) $(if $(filter -%,$(BUILD)),a - in front)
ifneq ($(filter ..,$(BUILD))$(if $(subst $(abspath .),,$(abspath $(BUILD))),,here),)
  $(error BUILD=$(BUILD): want a folder of its own, such as /tmp/sgemm)
endif
ifneq ($(words $(BUILD)) $(strip $(odd)),1 )
  $(error BUILD=$(BUILD): want one folder, its name without blanks and $(or $(strip $(odd)),the like))
endif
SIM     ?= check
override BACKEND := $(strip $(BACKEND))
override SIM := $(strip $(SIM))
given = $(if $(filter default undefined,$(origin $(1))),,$(strip $($(1))))
override CC := $(or $(call given,CC),cc)
override CXX := $(or $(call given,CXX),c++)
NVCC ?= $(or $(shell command -v nvcc),$(firstword $(wildcard $(addsuffix /bin/nvcc,$(CUDA_HOME) /usr/local/cuda))))
# A bare name from the user is looked up, so that the toolkit around it is found.
override NVCC := $(or $(shell command -v "$(NVCC)" 2>/dev/null),$(NVCC))
GPU  := $(if $(filter cpu,$(BACKEND)),,$(shell timeout 20 nvidia-smi -L 2>/dev/null | grep -m1 '^GPU'))

# What only a GPU's tools can do is built for one, wherever it is.
gpu_goals := $(filter profile% sass% ptx% sanitize%,$(MAKECMDGOALS))
ifneq ($(gpu_goals),)
  ifeq ($(BACKEND),cpu)
    $(error make $(gpu_goals) is of a GPU's build: leave out BACKEND=cpu)
  endif
  override BACKEND := $(BACKEND:auto=cuda)
endif

ifeq ($(BACKEND),auto)
  ifeq ($(NVCC),)
    use := cpu
    why := no nvcc on PATH, under CUDA_HOME or /usr/local/cuda
  else ifeq ($(GPU),)
    use := cpu
    why := no GPU found by nvidia-smi
  else
    use := cuda
    why := nvcc and a GPU are here
  endif
else ifneq ($(filter 1cuda 1cpu,$(words $(BACKEND))$(BACKEND)),)
  use := $(BACKEND)
  why := $(if $(gpu_goals),for $(gpu_goals),asked for)
else
  $(error BACKEND=$(BACKEND): want auto, cuda or cpu)
endif
ifeq ($(filter 1check 1fast,$(words $(SIM))$(SIM)),)
  $(error SIM=$(SIM): want check or fast)
endif
ifneq ($(and $(filter test,$(MAKECMDGOALS)),$(filter cpufast,$(use)$(SIM))),)
  $(error make test needs the simulator's checks: leave out SIM=fast)
endif

ifneq ($(MUTANT),)
  ifeq ($(use),cuda)
    $(error MUTANT= is for the simulator, which says what is wrong: make BACKEND=cpu MUTANT=$(MUTANT))
  endif
  ifneq ($(words $(MUTANT) $(filter $(MUTANT),$(patsubst tests/mutants/%.sed,%,$(wildcard tests/mutants/*.sed)))),2)
    $(error MUTANT=$(MUTANT): no such mutant; there are $(patsubst tests/mutants/%.sed,%,$(wildcard tests/mutants/*.sed)))
  endif
  ifeq ($(filter $(firstword $(subst _, ,$(MUTANT)))_%,$(DIRS)),)
    $(error MUTANT=$(MUTANT): its name must begin with its stage, such as 03_NAME)
  endif
endif

# ---- flags ------------------------------------------------------------------
# CFLAGS= adds to these.
cflags  := -std=c11 -O3 -g -Wall -Wextra -D_XOPEN_SOURCE=700 -Icommon
common  := args check device matrix output parallel report run

ifeq ($(use),cuda)
  ifeq ($(NVCC),)
    $(error BACKEND=cuda needs nvcc: install the CUDA Toolkit (Debian, Ubuntu: apt-get install nvidia-cuda-toolkit) or set CUDA_HOME)
  endif
  cap   := $(if $(GPU),$(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader | sed -n '1s/^\([0-9]*\)\.\([0-9]*\) *$$/\1\2/p'))
  ifeq ($(ARCH),)
    override ARCH := $(if $(cap),sm_$(cap),sm_80)
  endif
  ifeq ($(shell command -v "$(NVCC)"),)
    $(error no $(NVCC) here: take the CUDA Toolkit's nvcc, NVCC=/usr/local/cuda/bin/nvcc)
  endif
  ifneq ($(words $(ARCH)) $(filter-out sm_%,$(ARCH)),1 )
    $(error ARCH=$(ARCH): want one architecture, such as sm_90)
  endif
  known := $(shell "$(NVCC)" --list-gpu-arch 2>/dev/null)
  ifneq ($(known),)
    # sm_90a, too, which is not in the list
    ifeq ($(filter $(patsubst %f,%,$(patsubst %a,%,$(ARCH:sm_%=compute_%))),$(known)),)
      $(error this nvcc cannot build for $(ARCH); it knows $(known:compute_%=sm_%). Take one of these with ARCH=, or another CUDA Toolkit)
    endif
  endif
  toolkit := $(patsubst %/,%,$(dir $(patsubst %/,%,$(dir $(realpath $(NVCC))))))
  cflags  += $(addprefix -I,$(wildcard $(toolkit)/include)) -DBUILT_FOR='"$(ARCH)"'
  NVFLAGS := -std=c++17 -O3 -lineinfo -arch=$(ARCH) -Icommon
  LDLIBS  := -lcublas -lm $(addprefix -Xlinker -rpath -Xlinker ,$(wildcard $(toolkit)/lib64))
  common  += device_cuda kernels
  B       := $(BUILD)/cuda-$(ARCH)
  what    := cuda, $(ARCH)
else
  cflags  += -Icommon/sim -DGPUSIM -pthread
  # A kernel's fmaf is one instruction where the processor has it.
  native := $(if $(findstring x86_64,$(shell $(CXX) -dumpmachine 2>/dev/null)),-march=native)
  cflags  += $(native) $(if $(filter fast,$(SIM)),-DSIM_FAST)
  KERNELFLAGS := -std=c++17 -x c++ -g -gdwarf-4 -fno-lto -fno-optimize-sibling-calls \
    -ffp-contract=off -Wall -Wno-unused-const-variable -DGPUSIM $(native)
  # The hooks that the compiler puts into the kernels; common/sim/README.md says why.
  ifneq ($(findstring clang,$(shell $(CXX) --version 2>/dev/null)),)
    hooks := -fsanitize=thread -fsanitize=array-bounds -fsanitize-coverage=bb,no-prune,trace-pc \
      -fno-builtin-memcpy -fno-builtin-memset -Wno-c99-designator -mllvm -enable-tail-merge=0 \
      -mllvm -simplifycfg-sink-common=false -mllvm -disable-licm-promotion \
      -mllvm -instcombine-code-sinking=false -fno-finite-loops -fno-delete-null-pointer-checks \
      -mllvm -tsan-instrument-func-entry-exit=0 -mllvm -tsan-instrument-read-before-write
  else
    hooks := -fsanitize=thread -fsanitize=bounds-strict -fsanitize-coverage=trace-pc \
      -fno-tree-sink -fno-tree-loop-im -fno-thread-jumps
  endif
  # An array in registers that nobody wrote does not hold zeros by chance.
  poison := -ftrivial-auto-var-init=pattern
  poison := $(shell $(CXX) $(poison) -E -x c++ /dev/null >/dev/null 2>&1 && echo $(poison))
  # A stack frame of any size meets the guard below the stack.
  probe := -fstack-clash-protection
  probe := $(shell $(CXX) -Werror $(probe) -E -x c++ /dev/null >/dev/null 2>&1 && echo $(probe))
  KERNELFLAGS += $(probe) $(if $(filter fast,$(SIM)),-O3,-O1 $(hooks) $(poison))
  common  += device_sim
  simulator := align block counters fiber hooks launch lines memory pipeline report rules runtime shared symbols trace
  LDLIBS  := -lm -pthread
  B       := $(BUILD)/cpu-$(SIM)
  what    := cpu, the simulator$(if $(filter fast,$(SIM)), without its checks)
endif
ifneq ($(filter-out help clean diff% plots readme pictures% $(folders),$(or $(MAKECMDGOALS),all)),)
  ifeq ($(use)$(filter Linux,$(shell uname -s)),cpu)
    $(error the simulator needs Linux: in a virtual machine, in a container (docker run -it debian), on Windows in WSL)
  endif
  ifneq ($(shell mkdir -p $(B)/sim 2>/dev/null && test -w $(BUILD) && test -w $(B) && echo yes),yes)
    $(error cannot write to $(B): build in a folder of your own, make BUILD=FOLDER stage3, and run FOLDER/stage3)
  endif
  $(foreach c,$(firstword $(CC)) $(if $(filter cpu,$(use)),$(firstword $(CXX))),$(if $(shell command -v $c),,\
    $(error no compiler $c here: install one (Debian, Ubuntu: apt-get install g++), or name another: CC=clang CXX=clang++)))
  ifeq ($(quiet)$(filter sass% ptx%,$(MAKECMDGOALS)),)   # what these print is for a file
    $(info Backend: $(what) ($(why)))
  endif
endif

# The stages' own folder: mutants share everything else.
S := $(B)$(MUTANT:%=/mutants/%)
mutant_of := $(firstword $(subst _, ,$(MUTANT)))

# ---- the stages -------------------------------------------------------------
all: $(STAGES)  ## build ./stage1 to ./stage5
top := $(if $(filter build,$(BUILD)),.,$(BUILD))
in_the_way := $(patsubst %/.,%,$(wildcard $(STAGES:%=$(top)/%/.)))
ifneq ($(and $(in_the_way),$(filter-out clean help,$(or $(MAKECMDGOALS),all))),)
  $(error $(in_the_way): a folder where a program comes: move it away)
endif
$(STAGES): %: $(S)/% $(BUILD)/selected
	@rm -f $(top)/$@ && cp $< $(top)/$@   # also where it runs, or is a link

# Another backend or architecture has its own folder; only ./stageN is shared.
$(BUILD)/selected: FORCE
	@mkdir -p $(@D)
	@echo '$(S)' | cmp -s - $@ || echo '$(S)' >$@

# Other flags, another compiler, or another checkout: build again. And where a source has
# other contents and an older date than an object, which make may not see: after mv or
# tar, or when it was saved while it was compiled.
settings := $(CURDIR) $(BUILD) $(CC) $(CXX) $(NVCC) $(cflags) $(CFLAGS) $(NVFLAGS) $(KERNELFLAGS)
$(B)/flags: FORCE
	@mkdir -p $(B)/sim
	@echo "$$settings" | cmp -s - $@ || echo "$$settings" >$@
	@new=$(B)/sums.$$$$; cksum common/*.[ch]* common/sim/*.[chs]* 0*/*.[ch]* tests/*.c* tests/mutants/*.sed >$$new 2>/dev/null; \
	touch -a $(B)/sums && grep -vxFf $(B)/sums $$new | cut -d ' ' -f 3- | \
	while IFS= read -r f; do find $(B) -name '*.o' -newer "$$f"; done | grep -q . && touch $@; \
	mv $$new $(B)/sums
$(B)/flags: export settings := $(settings)
FORCE:

# V=1 shows the commands.
say = @$(if $(V)$(quiet),,printf '  %-5s %s\n' $(1) $(2) &&)
shown = $(if $(V),set -x;)

$(B)/%.o: common/%.c $(B)/flags
	$(call say,CC,$<) $(shown) $(CC) $(cflags) $(CFLAGS) -MD -MP -c $< -o $@

objects := $(common:%=$(B)/%.o)
ifeq ($(use),cuda)
$(B)/kernels.o: common/kernels.cu $(B)/flags
	$(call say,NVCC,$<) $(shown) "$(NVCC)" $(NVFLAGS) -MD -MP -c $< -o $@
$(S)/0%/sgemm.o: 0%/sgemm.cu $(B)/flags
	@mkdir -p $(@D)
	$(call say,NVCC,$<) $(shown) "$(NVCC)" $(NVFLAGS) -MD -MP -c $< -o $@
$(B)/broken_stage.o: tests/broken_stage.cu $(B)/flags
	$(call say,NVCC,$<) $(shown) "$(NVCC)" $(NVFLAGS) -MD -MP -c $< -o $@
link = "$(NVCC)" -arch=$(ARCH) $^ -o $@.new $(LDLIBS) && mv $@.new $@
else
objects += $(simulator:%=$(B)/sim/%.o)
$(B)/sim/%.o: common/sim/%.c $(B)/flags
	$(call say,CC,$<) $(shown) $(CC) $(cflags) $(CFLAGS) -MD -MP -c $< -o $@
# The launch syntax is not C++: a sed script rewrites it, keeping the line numbers.
$(S)/0%/sgemm.cpp: 0%/sgemm.cu common/sim/launch.sed $(MUTANT:%=tests/mutants/%.sed) $(B)/flags
	@mkdir -p $(@D)
	$(if $(MUTANT),$(if $(filter $(mutant_of)_%,$<),,\
	  @echo 'MUTANT=$(MUTANT) is of stage $(mutant_of:0%=%): make stage$(mutant_of:0%=%) MUTANT=$(MUTANT)' >&2; exit 1))
	@sed -e '' $(MUTANT:%=-f tests/mutants/%.sed) $< >$(@D)/planted.cu
	$(if $(MUTANT),@! cmp -s $(@D)/planted.cu $< || { echo 'MUTANT=$(MUTANT) changes nothing in $<' >&2; exit 1; })
	@{ echo '#line 1 "$<"'; sed -f common/sim/launch.sed $(@D)/planted.cu; } >$@
.SECONDARY: $(DIRS:%=$(S)/%/sgemm.cpp)
$(S)/0%/sgemm.o: $(S)/0%/sgemm.cpp
	$(call say,CXX,$(<:$(S)/%.cpp=%.cu)) $(shown) $(CXX) $(KERNELFLAGS) -Icommon/sim -Icommon -I$(<:$(S)/%/sgemm.cpp=%) -MD -MP -c $< -o $@
$(B)/broken_stage.cpp: tests/broken_stage.cu common/sim/launch.sed $(B)/flags
	@{ echo '#line 1 "$<"'; sed -f common/sim/launch.sed $<; } >$@
$(B)/broken_stage.o: $(B)/broken_stage.cpp $(B)/flags
	$(call say,CXX,tests/broken_stage.cu) $(shown) $(CXX) $(KERNELFLAGS) -Icommon/sim -Icommon -MD -MP -c $< -o $@
link = $(CXX) $^ -o $@.new $(LDLIBS) && mv $@.new $@
endif

# A program is moved to its place: it is whole or not there.
define stage_rule
$(S)/stage$(1): $(S)/$(call dir_of,$(1))/sgemm.o $(objects)
	$$(call say,LINK,stage$(1)) $$(shown) $$(link)
endef
$(foreach n,1 2 3 4 5,$(eval $(call stage_rule,$(n))))

-include $(wildcard $(B)/*.d $(B)/*/*.d $(S)/*/*.d)

# ---- for people -------------------------------------------------------------
$(B)/check_test: tests/check_test.c $(filter-out %/run.o,$(objects)) $(B)/flags
	$(call say,CC,$<) $(shown) $(CC) $(cflags) $(CFLAGS) $< $(B)/check.o $(B)/matrix.o $(B)/parallel.o -lm -pthread -o $@

$(B)/broken_stage: $(B)/broken_stage.o $(objects)
	$(call say,LINK,$(@F)) $(shown) $(link)

override BACKEND := $(use)
export BACKEND
test: $(STAGES:%=$(S)/%) $(B)/check_test $(B)/broken_stage  ## run every test on this backend
	@command -v prove >/dev/null || { echo 'make test needs prove: apt-get install perl' >&2; exit 1; }
	@BIN=$(B) TEST_BUILD=$(BUILD)/sim-test CC='$(CC)' CXX='$(CXX)' NVCC='$(NVCC)' prove -j2 --timer --directives --failures --comments -e sh $(or $(TESTS),$(wildcard tests/*.t tests/sim/*.t))

include plots/plots.mk plots/pictures/pictures.mk

# make clean all, make all pictures: one after the other, even with -j.
single := clean traffic pictures bench plots readme
ifneq ($(and $(filter $(single),$(MAKECMDGOALS)),$(word 2,$(MAKECMDGOALS))),)
  ifneq ($(and $(filter clean,$(MAKECMDGOALS)),$(filter-out clean,$(firstword $(MAKECMDGOALS))),$(filter-out clean,$(lastword $(MAKECMDGOALS)))),)
    $(error make $(MAKECMDGOALS): clean comes first or last)
  endif
.NOTPARALLEL:
endif
clean:  ## remove everything that was built
	rm -rf $(BUILD)/cpu-check $(BUILD)/cpu-fast $(BUILD)/cuda-sm_* $(BUILD)/sim-test $(BUILD)/selected
	rm -f $(STAGES:%=$(top)/%)
	@rmdir $(BUILD) 2>/dev/null || :

diff2 diff3 diff4 diff5: diff%:  ## what stage N changes in the stage before it
	@diff -u $(call dir_of,$(shell expr $* - 1))/sgemm.cu $(call dir_of,$*)/sgemm.cu; case $$? in 0 | 1 | 141) ;; *) exit 2 ;; esac   # 141: make diff3 | head

# $(call tool,NAME): the program, from PATH or beside nvcc; else a line and status 1.
tool = tool=$$(command -v $(1) || ls $(toolkit)/bin/$(1) $(toolkit)/compute-sanitizer/$(1) 2>/dev/null | head -n 1); \
  test -n "$$tool" || { echo '$@ needs $(1), which comes with the CUDA Toolkit' >&2; exit 1; }; "$$tool"

profile1 profile2 profile3 profile4 profile5: profile%: $(S)/stage%  ## ncu's report on stage N at 2048 (SIZE=)
	@$(call tool,ncu) --clock-control none --kernel-name regex:sgemm --launch-skip $(if $(filter 1,$*),1,0) --launch-count 1 --set full $(S)/stage$* --check=off --reps=0 $(or $(SIZE),2048)

sanitize1 sanitize2 sanitize3 sanitize4 sanitize5: sanitize%: $(S)/stage%  ## compute-sanitizer's memcheck and racecheck on stage N
	@for check in memcheck racecheck; do $(call tool,compute-sanitizer) --tool $$check --error-exitcode 1 $(S)/stage$* --tile=all --reps=0 127 65 33 || exit; done

sass1 sass2 sass3 sass4 sass5: sass%: $(S)/stage%  ## the GPU's instructions of stage N
	@$(call tool,cuobjdump) -sass $(S)/$(call dir_of,$*)/sgemm.o

ptx1 ptx2 ptx3 ptx4 ptx5: ptx%: $(B)/flags  ## the compiler's PTX of stage N
	@"$(NVCC)" $(NVFLAGS) -ptx $(call dir_of,$*)/sgemm.cu -o -

$(folders):
	@echo 'make $@: a folder, nothing to make; "make help" lists what there is' >&2; exit 2

help:  ## this list
	@echo 'make stageN    build ./stageN (N = 1 to 5), then: ./stageN --help'
	@sed -n 's/^\([a-z]*\)[12] [^:]*:/\1N:/; s/^\([a-zN]*\):.*## \(.*\)/\1\t\2/p' Makefile plots/plots.mk plots/pictures/pictures.mk | \
	  while IFS="$$(printf '\t')" read -r t d; do printf 'make %-9s %s\n' "$$t" "$$d"; done
	@echo 'Variables: BACKEND=auto|cuda|cpu  ARCH=sm_90  SIM=check|fast  MUTANT=  BUILD=  CC=  CXX=  NVCC=  V=1'

.PHONY: all test $(folders) clean help FORCE diff2 diff3 diff4 diff5 $(foreach n,1 2 3 4 5,profile$(n) sanitize$(n) sass$(n) ptx$(n))
