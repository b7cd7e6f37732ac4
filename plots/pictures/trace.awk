# Reads traces (`./stageN --trace=FILE`; common/sim/README.md describes the columns)
# for the pictures. For every access these are set; a picture's own rules follow.
#
#   matrix   A B C: global memory; As Bs: the shared tiles; "": anything else
#   at       element of the matrix, counted in floats
#   thread warp lane tick event bank size
#   nth      how many accesses of this kind on this source line the thread has made
#            before: the lanes of a warp that agree in it make up one request
BEGIN { FS = "," }
FNR == 1 { split("", seen); split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }
{
    event = $column["event"]
    thread = $column["thread"]; warp = $column["warp"]; lane = $column["lane"]; tick = $column["tick"]
    matrix = $column["element"]
    sub(/\[.*/, "", matrix)
    at = $column["offset"] / 4
    size = $column["size"]
    bank = $column["bank"]
    nth = seen[thread, event, $column["line"], matrix]++
}
