# A is loaded without asking whether the element exists.
# report: A\[[0-9]+\]|FAIL
# at: 
s/m0 + r < M && k0 + c < K/true/
