# Turns CUDA's own syntax into C++, one line for one line, so that line numbers
# stay what they are in the source. See "How a kernel is built" in README.md.

# kernel<<<grid, block>>>(...)   ->   sim_kernel("kernel", kernel, grid, block)(...)
s/\([A-Za-z_][A-Za-z0-9_]*\)\(<[^<>]*>\)\{0,1\}[ ]*<<</sim_kernel("\1", \1\2, /g
s/>>>[ ]*(/)(/g

# extern __shared__ float smem[];   ->   a pointer to the block's dynamic shared memory
s/extern[ ]*__shared__[ ]*\(__align__([0-9]*)[ ]*\)\{0,1\}\([A-Za-z_0-9 ]*[A-Za-z_0-9]\)[ ][ ]*\([A-Za-z_0-9]*\)[ ]*\[[ ]*\];/\2 *const \3 = (\2 *)sim_dynamic_shared("\3", sizeof(\2));/

# static __shared__ is the same as __shared__
s/static[ ]*__shared__/__shared__/g

# __shared__ float As[BK][BM];   ->   the same, and a record of the array's
# dimensions, so that reports can say As[3][17]
s/__shared__[^;]*[^A-Za-z0-9_]\([A-Za-z_][A-Za-z0-9_]*\)\[[^;]*\];/& SIM_SHAPE(\1)/

# A loop is one loop here: unrolled, it would only take clang++ long to compile.
s/^[ ]*#[ ]*pragma unroll.*//
