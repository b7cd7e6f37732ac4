# A card's file as make bench writes it, with speeds made up: for the tests of the
# charts and tables only. Use: awk [-v device=NAME] [-v scale=0.2] -f tests/made_up.awk
function quoted(s)
{
    if (s !~ /[,"]/)
        return s
    gsub(/"/, "\"\"", s)
    return "\"" s "\""
}

function row(stage, tile, choice, M, N, K, speed, yard,    ms)
{
    ms = 2e-6 * M * N * K / speed
    printf "%d,cuda,%s,%s,%s,%d,%d,%d,50,%.6f,%.6f,%.6f,%.2f,%.2f,%.4f,1e-4,0.02,PASS,%.6f,132,580.65,13.0,2025-01-02T10:00:00Z,1965,66908,random,1,0123,\"cuBLAS 13.0, fp32\",%.0f,%.0f\n",
        stage, quoted(device), tile, choice, M, N, K, ms, ms * 0.99, ms * 1.05, speed, yard, speed / yard,
        ms, 65290 * scale, 4150 * scale
}

# Part of its best that a stage reaches at a size: small ones do not fill the card.
function filled(s)
{
    return s * s / (s * s + 190000)
}

BEGIN {
    if (!scale)
        scale = 1
    if (device == "")
        device = "NVIDIA H200"
    print "stage,backend,device,tile,choice,M,N,K,reps,median_ms,min_ms,max_ms,gflops,cublas_gflops,ratio,max_abs_diff,bound_ratio,check,avg_ms,sms,driver,cuda,date,clock_mhz,peak_gflops,fill,seed,checksum,yardstick,ffma_gflops,copy_gbs"
    split("400 4800 13000 45000 53000", best, " ")
    split("4x4 16x16 64x64x16", only, " ")
    nsizes = split("256 384 512 1024 2048 4096 1000 4097 8192 16384", sizes, " ")
    ntiles = split("32x32x32-4x4 64x64x16-4x4 64x64x16-16x4 128x128x16-8x8 128x128x32-16x8", tiles, " ")
    for (stage = 1; stage <= 5; stage++)
        for (i = 1; i <= nsizes; i++) {
            s = sizes[i]
            speed = best[stage] * scale * filled(s)
            yard = 50500 * scale * filled(s)
            if (stage < 4) {
                if (s <= 4096 && s != 1000)
                    row(stage, only[stage], "auto", s, s, s, speed, yard)
            } else if (s == 512 || s == 2048 || s == 4096) {
                for (t = 1; t <= ntiles; t++) {
                    far = s == 512 ? t - 2 : ntiles - t
                    row(stage, tiles[t], far ? "named" : "auto", s, s, s, speed * (1 - 0.08 * (far < 0 ? -far : far)), yard)
                }
            } else {
                row(stage, tiles[5], "auto", s, s, s, speed, yard)
            }
        }
    for (stage = 4; stage <= 5; stage++)
        row(stage, tiles[2], "auto", 16, 4096, 4096, 900 * stage * scale, 4200 * scale)
}
