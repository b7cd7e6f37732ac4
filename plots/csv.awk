# Comma-separated values as RFC 4180 has them, on a line each. A library: use it
# with a second -f. Columns are found by the header's names.

# Splits a line into f[1..n], without the quotes; returns n, or 0 if a quote
# never ends (a line that was cut off).
function csv_split(line, f,    n, i, c, field, quoted)
{
    sub(/\r$/, "", line)
    if (index(line, "\"") == 0)
        return split(line, f, ",")
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (quoted && c == "\"" && substr(line, i + 1, 1) == "\"") {
            field = field c
            i++
        } else if (c == "\"") {
            quoted = !quoted
        } else if (c == "," && !quoted) {
            f[++n] = field
            field = ""
        } else {
            field = field c
        }
    }
    f[++n] = field
    return quoted ? 0 : n
}

# The field as it is written.
function csv_quote(s)
{
    if (s !~ /[,"\r\n]/)
        return s
    gsub(/"/, "\"\"", s)
    return "\"" s "\""
}

# Takes a header; afterwards csv_row() reads lines under it.
function csv_header(line,    n, i, f)
{
    split("", csv_column)
    n = csv_split(line, f)
    for (i = 1; i <= n; i++)
        csv_column[f[i]] = i
    csv_columns = n
}

# Takes a row. False if it has not as many fields as the header.
function csv_row(line)
{
    split("", csv_field)
    return csv_split(line, csv_field) == csv_columns
}

# The row's field of this name; empty where there is no such column.
function csv(name)
{
    return name in csv_column ? csv_field[csv_column[name]] : ""
}
