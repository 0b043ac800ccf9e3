# Makes the statements that copy, hash and restore a table of its columns, which history/rows.tables
# holds once; history/embed.awk reads what this prints as it reads history/sql.
#
#     awk -f history/row_statements.awk history/rows.tables

function fail(why)
{
    printf "%s:%d: %s\n", FILENAME, FNR, why >"/dev/stderr"
    failed = 1
    exit 1
}

# Every column as `before NAME after`, or the type in place of the name, with commas.
function listed(before, what, after,    i, out)
{
    for (i = 1; i <= count; i++)
        out = out (i > 1 ? ", " : "") before (what == "type" ? types[i] : names[i]) after
    return out
}

function typed(    i, out)
{
    for (i = 1; i <= count; i++)
        out = out (i > 1 ? ", " : "") names[i] " " types[i]
    return out
}

# Text is ordered by its bytes, whatever the language of the database.
function ordered(    i, out)
{
    for (i = 1; i <= count; i++)
        if (keys[i])
            out = out (out == "" ? "" : ", ") "r." names[i] \
                (types[i] == "text" ? " COLLATE \"C\"" : "")
    return out
}

function within(column)
{
    return column " BETWEEN (SELECT current_setting('stepledger.first')::bigint)\n" \
        "    AND (SELECT current_setting('stepledger.last')::bigint)"
}

# A row of another day than its profile belongs to nobody: readers do not find it.
function content(    columns, from)
{
    columns = listed("r.", "name", "")
    from = "FROM " table " r\n"
    if (monthly) {
        sub(/^r\.[a-z_]+/, "CASE WHEN p.recorded_on <> r.recorded_on THEN NULL ELSE & END", columns)
        from = from "LEFT JOIN profiles p ON p.id = r.profile_id AND " within("p.id") "\n"
    }
    print "-- Query: content_" section
    print "-- Canonical content: " section " (history/chain/canonical.h)."
    print "-- Parameters: none"
    print "-- Copies: " typed()
    print "COPY (\nSELECT " columns "\n" from "WHERE " within("r." names[1])
    print "ORDER BY " ordered() "\n) TO STDOUT (FORMAT binary);"
}

function copied(query, purpose, names_more, types_more)
{
    print "-- Query: " query
    print "-- Rows of " table purpose
    print "-- Parameters: none"
    print "-- Copies: " typed() types_more
    print "COPY " table " (" listed("", "name", "") names_more ") FROM STDIN (FORMAT binary);"
}

function added(    i, parameters, arrays)
{
    for (i = 1; i <= count; i++) {
        parameters = parameters (i > 1 ? ", " : "") "$" i " " names[i] " " types[i] "[]"
        arrays = arrays (i > 1 ? ", " : "") "$" i "::" types[i] "[]"
    }
    print "-- Query: " table "_add"
    print "-- Rows of " table ", column by column."
    print "-- Parameters: " parameters
    print "-- Result: none"
    print "INSERT INTO " table " (" listed("", "name", "") ")"
    print "SELECT * FROM unnest(" arrays ");"
}

function finish()
{
    if (section == "")
        return
    if (count == 0 || !keys[1])
        fail(section " needs columns, and the first of them a star")
    content()
    if (monthly)
        copied("restore_" section "_copy",
               " out of an archive: as their content has them, then their day.", ", recorded_on",
               ", recorded_on date")
    if (add)
        added()
    if (copy)
        copied(table "_copy", ", as their content has them.", "", "")
}

/^#/ || /^$/ { next }

/^[a-z]/ {
    finish()
    section = $1
    table = $2
    monthly = add = copy = count = 0
    for (i = 3; i <= NF; i++) {
        if ($i == "monthly")
            monthly = 1
        else if ($i == "add")
            add = 1
        else if ($i == "copy")
            copy = 1
        else
            fail("\"" $i "\" is none of monthly, add, copy")
    }
    next
}

{
    n = split($0, items, /,[ \t]*/)
    for (i = 1; i <= n; i++) {
        gsub(/^[ \t]+|[ \t]+$/, "", items[i])
        if (items[i] == "")
            continue
        if (split(items[i], words, / /) != 2)
            fail("\"" items[i] "\" is not NAME TYPE")
        count++
        names[count] = words[1]
        keys[count] = sub(/\*$/, "", words[2])
        types[count] = words[2]
    }
}

END {
    if (failed)
        exit 1
    finish()
}
