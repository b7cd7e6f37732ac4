#!/bin/sh
# Records what an NVIDIA GPU's own counters say of every stage and tile, for
# tests/counters.t to compare the simulator with. On a machine with a GPU and ncu:
#
#     make BACKEND=cuda && sh tests/counters.sh >plots/data/counters.csv
#
# The metrics are counted in the instruction stream (sass), so they are the same
# in every run. Two are summed over the instructions of ncu's source page: barriers
# (BAR.SYNC), for which there is no metric, and the sectors of cp.async (LDGSTS),
# since the metric for them also counts some that were asked for twice.
set -eu
shapes=512x512x512,301x203x115
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT

sass=smsp__sass
metrics="
ffma                    ${sass}_thread_inst_executed_op_ffma_pred_on.sum
global_load_requests    ${sass}_inst_executed_op_global_ld.sum
global_load_sectors     ${sass}_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum
global_store_requests   ${sass}_inst_executed_op_global_st.sum
global_store_sectors    ${sass}_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum
shared_load_requests    ${sass}_inst_executed_op_shared_ld.sum
shared_load_wavefronts  ${sass}_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
shared_store_requests   ${sass}_inst_executed_op_shared_st.sum
shared_store_wavefronts ${sass}_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum
async_requests          ${sass}_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts.sum
async_wavefronts        ${sass}_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum
"
names=$(echo "$metrics" | awk 'NF { print $1 }')
ncu_names=$(echo "$metrics" | awk 'NF { printf "%s%s", comma, $2; comma = "," }')

# ncu quotes every field and writes 1,024 for 1024.
ncu_csv='function fields(line, f,   n, i) {
    sub(/^"/, "", line); sub(/",?$/, "", line)
    n = split(line, f, "\",\"")
    for (i = 1; i <= n; i++) if (f[i] ~ /^[0-9,]+$/) gsub(",", "", f[i])
    return n
}'

echo "stage,tile,M,N,K,$(echo "$names" | tr '\n' ',')barriers,async_sectors,device,driver,cuda,ncu,date"
version=$(ncu --version | sed -n 's/^Version \([0-9.]*\).*/\1/p')
for stage in 1 2 3 4 5; do
    # One launch a row: no timing. Stage 1 opens with another product.
    skip=$((stage == 1))
    ncu --clock-control none --kernel-name-base function --kernel-name sgemm \
        --launch-skip $skip --metrics "$ncu_names" --section SourceCounters -f -o "$TMP/report" \
        "./stage$stage" --tile=all --check=off --reps=0 --csv --shape=$shapes \
        2>"$TMP/log" | grep -v '^==' >"$TMP/rows" || { cat "$TMP/log" >&2; exit 1; }
    ncu -i "$TMP/report.ncu-rep" --page raw --csv >"$TMP/raw"
    ncu -i "$TMP/report.ncu-rep" --page source --csv >"$TMP/source"

    # A line a kernel: its barriers and the sectors of its copies.
    awk "$ncu_csv"'
        /^"Kernel Name"/ { if (kernel++) print barriers, sectors; barriers = sectors = 0 }
        /^"Address"/ { n = fields($0, f); for (i = 1; i <= n; i++) at[f[i]] = i }
        /BAR\.SYNC/ { fields($0, f); barriers += f[at["Instructions Executed"]] }
        /LDGSTS/ { fields($0, f); sectors += f[at["L2 Theoretical Sectors Global"]] }
        END { print barriers, sectors }' "$TMP/source" >"$TMP/summed"

    # A line an sgemm.
    awk -v names="$names" -v metrics="$ncu_names" -v summed="$TMP/summed" "$ncu_csv"'
        BEGIN { count = split(metrics, metric, ",") }
        NR == 1 { n = fields($0, f); for (i = 1; i <= n; i++) column[f[i]] = i }
        NR > 2 { line[++lines] = $0 }
        END {
            # The source page shows the instance of a template twice.
            while ((getline kernel[++kernels] <summed) > 0) ;
            step = (kernels - 1) / lines
            for (l = 1; l <= lines; l++) {
                fields(line[l], f)
                for (i = 1; i <= count; i++) printf "%.0f,", f[column[metric[i]]]
                split(kernel[l * step], k, " ")
                printf "%.0f,%.0f\n", k[1], k[2]
            }
        }' "$TMP/raw" >"$TMP/counts"

    awk -F, -v version="$version" -v counts="$TMP/counts" '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
        NR > 1 {
            getline count <counts
            print $column["stage"] "," $column["tile"] "," $column["M"] "," $column["N"] "," $column["K"] "," \
                count "," $column["device"] "," $column["driver"] "," $column["cuda"] "," version "," $column["date"]
        }' "$TMP/rows"
done
