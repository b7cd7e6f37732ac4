# Threads without an element of C leave, and the barrier waits for them.
# report: __syncthreads
# at: 
s/float acc\[TM\]\[TN\] = {};/if (m0 + tm >= M || n0 + tn >= N) return; float acc[TM][TN] = {};/
