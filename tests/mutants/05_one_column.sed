# Columns outside B all become its last one: right, but copies of one address take turns.
# counter: async_wavefronts
# shape: 64x129x64
s/n % N)/min(n, N - 1))/
