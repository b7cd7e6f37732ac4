# The copies start one slot too far on: into the one that is read.
# report: cp\.async|race
# at: 
s/int fill = SLOTS - 1, use = 0;/int fill = 0, use = 0;/
