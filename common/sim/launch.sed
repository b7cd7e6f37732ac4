# Turns CUDA's own syntax into C++, one line for one line, so that line numbers
# stay what they are in the source. See "How it works" in README.md.

# kernel<<<grid, block>>>(...)   ->   sim_kernel("kernel", kernel, grid, block)(...)
s/\(\([A-Za-z_][A-Za-z0-9_]*::\)*[A-Za-z_][A-Za-z0-9_]*\)\(<[^<>]*>\)\{0,1\}[[:blank:]]*<<</sim_kernel("\1", \1\3, /g
s/>>>[[:blank:]]*(/)(/g

# extern __shared__ float smem[];   ->   a pointer to the block's dynamic shared memory
# In front of a kernel, where a line begins with it, a macro: the pointer is another for
# each block.
s/__shared__[[:blank:]][[:blank:]]*extern/extern __shared__/
s/extern[[:blank:]][[:blank:]]*\(volatile\|__align__([0-9]*)\|alignas([0-9]*)\)[[:blank:]]*__shared__/extern __shared__ \1/
s/\(extern[[:blank:]]*__shared__[[:blank:]]*\)\(__align__\|alignas\)([0-9]*)/\1/
s/^extern[[:blank:]]*__shared__[[:blank:]]*\([A-Za-z_0-9[:blank:]]*[A-Za-z_0-9]\)[[:blank:]][[:blank:]]*\([A-Za-z_0-9]*\)[[:blank:]]*\[[[:blank:]]*\];/#define \2 ((\1 *)sim_dynamic_shared("\2", sizeof(\1)))/
s/extern[[:blank:]]*__shared__[[:blank:]]*\([A-Za-z_0-9[:blank:]]*[A-Za-z_0-9]\)[[:blank:]][[:blank:]]*\([A-Za-z_0-9]*\)[[:blank:]]*\[[[:blank:]]*\];/\1 *const \2 = (\1 *)sim_dynamic_shared("\2", sizeof(\1));/

# A word of CUDA's that the C++ library has, too
s/__noinline__/__attribute__((noinline))/g

# static __shared__ is the same as __shared__; a standard attribute stands in front
s/static[[:blank:]]*__shared__/__shared__/g
s/__shared__[[:blank:]]*\(alignas([^()]*)\)/\1 __shared__/

# __device__ float x;   ->   refused: only what cudaMalloc gives is checked
s/^\([[:blank:]]*\(static[[:blank:]]*\)\{0,1\}\)__device__\([^(;]*;\)/static_assert(0, "the simulator has no __device__ variables: pass a pointer from cudaMalloc");\1\3/

# __shared__ float As[BK][BM];   ->   the same, and a record of the array's
# dimensions, so that reports can say As[3][17]
s/__shared__[^;[{]*[^A-Za-z0-9_[{]\([A-Za-z_][A-Za-z0-9_]*\)[[:blank:]]*\[[^;]*\];/& SIM_SHAPE(\1)/g

# A loop is one loop here: unrolled, it would only take clang++ long to compile.
s/^[[:blank:]]*#[[:blank:]]*pragma unroll.*//
