# Lanes in plain order share no rows with their neighbours: right, and slower to read.
# counter: shared_load_wavefronts
s/WM + lane \/ 2 % LANES_M \* 4/WM + lane \/ LANES_N * 4/
s/(lane \/ (2 \* LANES_M) \* 2 + lane % 2) \* 4/lane % LANES_N * 4/
