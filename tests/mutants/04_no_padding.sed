# Without padding a column of As lies in few banks: right, and slower to fill.
# counter: shared_store_wavefronts
s/constexpr int PAD = 4;/constexpr int PAD = 0;/
