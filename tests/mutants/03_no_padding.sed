# Without padding the rows of As start in the same banks: right, and slower.
# counter: shared_load_wavefronts
s/constexpr int PAD = 1;/constexpr int PAD = 0;/
