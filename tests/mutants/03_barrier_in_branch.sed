# Only some threads reach the barrier.
# report: __syncthreads
# at: 
s/__syncthreads();   \/\/ nobody reads before.*/if (threadIdx.y < 8) __syncthreads();/
