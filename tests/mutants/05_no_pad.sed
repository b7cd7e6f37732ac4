# The first k-tile takes what lies before the matrix instead of zeros.
# report: A\[|FAIL
# at: 
s/first + i == 0 ? pad : 0, tid/0, tid/
