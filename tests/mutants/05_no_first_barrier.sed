# The first tile is read before everyone's copies have landed.
# report: cp\.async|race
# at: load4\(&a\[0\]\[i\]
s/__syncthreads();   \/\/ everyone's copies.*//
