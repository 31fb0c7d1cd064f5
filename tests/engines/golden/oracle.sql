-- rows
SELECT COUNT(*) AS "rows" FROM (SELECT 1 AS "one" FROM "data" "asked_source") "input";

-- sum of doubles
SELECT "k0", COUNT(*) AS "rows", COUNT("m") AS "n", COUNT(CASE WHEN "m" IS NAN THEN 1 END) AS "nans", COUNT(CASE WHEN "m" = BINARY_DOUBLE_INFINITY THEN 1 END) AS "positive", COUNT(CASE WHEN "m" = -BINARY_DOUBLE_INFINITY THEN 1 END) AS "negative", SUM(CAST(("t0") AS NUMBER(19))) AS "s0", SUM(CAST(("t1" - "t0" * 4503599627370496.0e0d) AS NUMBER(19))) AS "s1", SUM(CAST(("t2" - "t1" * 4503599627370496.0e0d) AS NUMBER(19))) AS "s2", SUM(CAST(("t3" - "t2" * 16.0e0d) AS NUMBER(19))) AS "s3", COUNT(CASE WHEN "r0" = "t3" * 1.232595164407831e-32d THEN 1 END) AS "exact" FROM (SELECT "k0", "m", "r0", CASE WHEN ABS("r0" * 0.25e0d) <= 9007199254740992.0e0d THEN CAST(CAST("r0" * 0.25e0d AS NUMBER(19)) AS BINARY_DOUBLE) ELSE "r0" * 0.25e0d END AS "t0", CASE WHEN ABS("r0" * 1125899906842624.0e0d) <= 9007199254740992.0e0d THEN CAST(CAST("r0" * 1125899906842624.0e0d AS NUMBER(19)) AS BINARY_DOUBLE) ELSE "r0" * 1125899906842624.0e0d END AS "t1", CASE WHEN ABS("r0" * 5.070602400912918e+30d) <= 9007199254740992.0e0d THEN CAST(CAST("r0" * 5.070602400912918e+30d AS NUMBER(19)) AS BINARY_DOUBLE) ELSE "r0" * 5.070602400912918e+30d END AS "t2", CASE WHEN ABS("r0" * 8.112963841460668e+31d) <= 9007199254740992.0e0d THEN CAST(CAST("r0" * 8.112963841460668e+31d AS NUMBER(19)) AS BINARY_DOUBLE) ELSE "r0" * 8.112963841460668e+31d END AS "t3" FROM (SELECT "k0", "m", CASE WHEN ABS("m") <= 1e+16d THEN "m" END AS "r0" FROM (SELECT TO_CHAR("asked_source"."g") AS "k0", CAST("asked_source"."x" AS BINARY_DOUBLE) AS "m" FROM "data" "asked_source") "input") "input") "input" GROUP BY "k0";

-- mean of doubles
SELECT COUNT(*) AS "rows", COUNT("m") AS "n", COUNT(CASE WHEN "m" IS NAN THEN 1 END) AS "nans", COUNT(CASE WHEN "m" = BINARY_DOUBLE_INFINITY THEN 1 END) AS "positive", COUNT(CASE WHEN "m" = -BINARY_DOUBLE_INFINITY THEN 1 END) AS "negative", SUM(CAST(("t0") AS NUMBER(19))) AS "s0", SUM(CAST(("t1" - "t0" * 4503599627370496.0e0d) AS NUMBER(19))) AS "s1", SUM(CAST(("t2" - "t1" * 4503599627370496.0e0d) AS NUMBER(19))) AS "s2", SUM(CAST(("t3" - "t2" * 16.0e0d) AS NUMBER(19))) AS "s3", COUNT(CASE WHEN "r0" = "t3" * 1.232595164407831e-32d THEN 1 END) AS "exact" FROM (SELECT "m", "r0", CASE WHEN ABS("r0" * 0.25e0d) <= 9007199254740992.0e0d THEN CAST(CAST("r0" * 0.25e0d AS NUMBER(19)) AS BINARY_DOUBLE) ELSE "r0" * 0.25e0d END AS "t0", CASE WHEN ABS("r0" * 1125899906842624.0e0d) <= 9007199254740992.0e0d THEN CAST(CAST("r0" * 1125899906842624.0e0d AS NUMBER(19)) AS BINARY_DOUBLE) ELSE "r0" * 1125899906842624.0e0d END AS "t1", CASE WHEN ABS("r0" * 5.070602400912918e+30d) <= 9007199254740992.0e0d THEN CAST(CAST("r0" * 5.070602400912918e+30d AS NUMBER(19)) AS BINARY_DOUBLE) ELSE "r0" * 5.070602400912918e+30d END AS "t2", CASE WHEN ABS("r0" * 8.112963841460668e+31d) <= 9007199254740992.0e0d THEN CAST(CAST("r0" * 8.112963841460668e+31d AS NUMBER(19)) AS BINARY_DOUBLE) ELSE "r0" * 8.112963841460668e+31d END AS "t3" FROM (SELECT "m", CASE WHEN ABS("m") <= 1e+16d THEN "m" END AS "r0" FROM (SELECT CAST("asked_source"."x" AS BINARY_DOUBLE) AS "m" FROM "data" "asked_source") "input") "input") "input";

-- largest double
SELECT "k0", COUNT(*) AS "rows", COUNT(CASE WHEN "m" IS NAN THEN 1 END) AS "nans", MAX(CASE WHEN NOT "m" IS NAN THEN "m" END) AS "extreme", COUNT("m") AS "n" FROM (SELECT TO_CHAR("asked_source"."g") AS "k0", CAST("asked_source"."x" AS BINARY_DOUBLE) AS "m" FROM "data" "asked_source") "input" GROUP BY "k0";

-- doubles by double
SELECT "k0", COUNT(*) AS "rows", COUNT("m") AS "n" FROM (SELECT CASE WHEN CAST("asked_source"."x" AS BINARY_DOUBLE) = 0.0e0d THEN 0.0e0d ELSE CAST("asked_source"."x" AS BINARY_DOUBLE) END AS "k0", "asked_source"."d" AS "m" FROM "data" "asked_source") "input" GROUP BY "k0";

-- sum of integers
SELECT "k0", COUNT(*) AS "rows", SUM("m") AS "total", COUNT("m") AS "n" FROM (SELECT TO_CHAR("asked_source"."g") AS "k0", "asked_source"."i" AS "m" FROM "data" "asked_source") "input" GROUP BY "k0";

-- sum of decimals
SELECT "k0", COUNT(*) AS "rows", SUM("m") AS "total", COUNT("m") AS "n" FROM (SELECT SYS_EXTRACT_UTC(CAST("asked_source"."day" AS TIMESTAMP WITH TIME ZONE)) AS "k0", "asked_source"."d" AS "m" FROM "data" "asked_source") "input" GROUP BY "k0";

-- sum of long decimals
SELECT "k0", COUNT(*) AS "rows", SUM(TRUNC(("m" * 10000000000) / 10000000000000000000)) AS "part0", SUM(MOD(("m" * 10000000000), 10000000000000000000)) AS "part1", COUNT("m") AS "n" FROM (SELECT TO_CHAR("asked_source"."g") AS "k0", "asked_source"."w" AS "m" FROM "data" "asked_source") "input" GROUP BY "k0";

-- mean of decimals
SELECT "k0", COUNT(*) AS "rows", SUM("m") AS "total", COUNT("m") AS "n" FROM (SELECT TO_CHAR("asked_source"."g") AS "k0", "asked_source"."d" AS "m" FROM "data" "asked_source") "input" GROUP BY "k0";

-- smallest text
SELECT "k0", COUNT(*) AS "rows", MIN("m") AS "extreme", COUNT("m") AS "n" FROM (SELECT SYS_EXTRACT_UTC(CAST("asked_source"."day" AS TIMESTAMP WITH TIME ZONE)) AS "k0", TO_CHAR("asked_source"."g") AS "m" FROM "data" "asked_source") "input" GROUP BY "k0";

-- times
SELECT "k0", COUNT(*) AS "rows", MAX("m") AS "extreme", COUNT("m") AS "n" FROM (SELECT SYS_EXTRACT_UTC(CAST("asked_source"."day" AS TIMESTAMP WITH TIME ZONE)) AS "k0", SYS_EXTRACT_UTC(CAST("asked_source"."moment" AS TIMESTAMP WITH TIME ZONE)) AS "m" FROM "data" "asked_source" WHERE SYS_EXTRACT_UTC(CAST("asked_source"."moment" AS TIMESTAMP WITH TIME ZONE)) <= ?) "input" GROUP BY "k0";

-- median of doubles
SELECT "k0", COUNT(*) AS "rows", MAX(CASE WHEN "p" * 2 IN ("c" + 0, "c" + 1) THEN "m" END) AS "low", MAX(CASE WHEN "p" * 2 IN ("c" + 1, "c" + 2) THEN "m" END) AS "high", MIN(CASE WHEN "c" > 0 THEN "c" END) AS "numbered", COUNT(CASE WHEN "m" IS NAN THEN 1 END) AS "nans", COUNT("m") AS "n" FROM (SELECT "k0", "m", ROW_NUMBER() OVER (PARTITION BY "k0", CASE WHEN "m" IS NULL THEN 1 ELSE 0 END ORDER BY "m") AS "p", COUNT("m") OVER (PARTITION BY "k0", CASE WHEN "m" IS NULL THEN 1 ELSE 0 END) AS "c" FROM (SELECT TO_CHAR("asked_source"."g") AS "k0", CAST("asked_source"."x" AS BINARY_DOUBLE) AS "m" FROM "data" "asked_source") "input") "input" GROUP BY "k0";

-- median of decimals
SELECT COUNT(*) AS "rows", MAX(CASE WHEN "p" * 2 IN ("c" + 0, "c" + 1) THEN "m" END) AS "low", MAX(CASE WHEN "p" * 2 IN ("c" + 1, "c" + 2) THEN "m" END) AS "high", MIN(CASE WHEN "c" > 0 THEN "c" END) AS "numbered", COUNT("m") AS "n" FROM (SELECT "m", ROW_NUMBER() OVER (PARTITION BY CASE WHEN "m" IS NULL THEN 1 ELSE 0 END ORDER BY "m") AS "p", COUNT("m") OVER (PARTITION BY CASE WHEN "m" IS NULL THEN 1 ELSE 0 END) AS "c" FROM (SELECT "asked_source"."d" AS "m" FROM "data" "asked_source") "input") "input";

-- percentile of doubles
SELECT "k0", COUNT(*) AS "rows", MAX(CASE WHEN CAST("p" AS NUMBER(19)) * 10 + 9 > CAST("c" AS NUMBER(19)) * 9 + 0 AND CAST("p" AS NUMBER(19)) * 10 + 9 <= CAST("c" AS NUMBER(19)) * 9 + 10 THEN "m" END) AS "low", MAX(CASE WHEN CAST("p" AS NUMBER(19)) * 10 + 9 >= CAST("c" AS NUMBER(19)) * 9 + 10 AND CAST("p" AS NUMBER(19)) * 10 + 9 < CAST("c" AS NUMBER(19)) * 9 + 20 THEN "m" END) AS "high", MIN(CASE WHEN "c" > 0 THEN "c" END) AS "numbered", COUNT(CASE WHEN "m" IS NAN THEN 1 END) AS "nans", COUNT("m") AS "n" FROM (SELECT "k0", "m", ROW_NUMBER() OVER (PARTITION BY "k0", CASE WHEN "m" IS NULL THEN 1 ELSE 0 END ORDER BY "m") AS "p", COUNT("m") OVER (PARTITION BY "k0", CASE WHEN "m" IS NULL THEN 1 ELSE 0 END) AS "c" FROM (SELECT TO_CHAR("asked_source"."g") AS "k0", CAST("asked_source"."x" AS BINARY_DOUBLE) AS "m" FROM "data" "asked_source") "input") "input" GROUP BY "k0";

-- percentile of integers
SELECT COUNT(*) AS "rows", MAX(CASE WHEN CAST("p" AS NUMBER(19)) * 1000 + 999 > CAST("c" AS NUMBER(19)) * 999 + 0 AND CAST("p" AS NUMBER(19)) * 1000 + 999 <= CAST("c" AS NUMBER(19)) * 999 + 1000 THEN "m" END) AS "low", MAX(CASE WHEN CAST("p" AS NUMBER(19)) * 1000 + 999 >= CAST("c" AS NUMBER(19)) * 999 + 1000 AND CAST("p" AS NUMBER(19)) * 1000 + 999 < CAST("c" AS NUMBER(19)) * 999 + 2000 THEN "m" END) AS "high", MIN(CASE WHEN "c" > 0 THEN "c" END) AS "numbered", COUNT("m") AS "n" FROM (SELECT "m", ROW_NUMBER() OVER (PARTITION BY CASE WHEN "m" IS NULL THEN 1 ELSE 0 END ORDER BY "m") AS "p", COUNT("m") OVER (PARTITION BY CASE WHEN "m" IS NULL THEN 1 ELSE 0 END) AS "c" FROM (SELECT "asked_source"."i" AS "m" FROM "data" "asked_source") "input") "input";

-- different texts
SELECT "k0", COALESCE(SUM("c"), 0) AS "rows", SUM(CASE WHEN "m" IS NULL THEN "c" END) AS "nulls", COUNT("m") AS "n" FROM (SELECT "k0", "m", COUNT(*) AS "c" FROM (SELECT SYS_EXTRACT_UTC(CAST("asked_source"."day" AS TIMESTAMP WITH TIME ZONE)) AS "k0", TO_CHAR("asked_source"."g") AS "m" FROM "data" "asked_source") "input" GROUP BY "k0", "m") "input" GROUP BY "k0";

-- different doubles
SELECT COALESCE(SUM("c"), 0) AS "rows", SUM(CASE WHEN "m" IS NULL THEN "c" END) AS "nulls", COUNT("m") AS "n" FROM (SELECT "m", COUNT(*) AS "c" FROM (SELECT CASE WHEN CAST("asked_source"."x" AS BINARY_DOUBLE) = 0.0e0d THEN 0.0e0d ELSE CAST("asked_source"."x" AS BINARY_DOUBLE) END AS "m" FROM "data" "asked_source") "input" GROUP BY "m") "input";

-- spread of doubles
SELECT "k0", "k1", COUNT(*) AS "rows" FROM (SELECT TO_CHAR("asked_source"."g") AS "k0", CASE WHEN CAST("asked_source"."x" AS BINARY_DOUBLE) = 0.0e0d THEN 0.0e0d ELSE CAST("asked_source"."x" AS BINARY_DOUBLE) END AS "k1" FROM "data" "asked_source") "input" GROUP BY "k0", "k1";

-- spread of decimals
SELECT "k0", COUNT(*) AS "rows" FROM (SELECT "asked_source"."d" AS "k0" FROM "data" "asked_source") "input" GROUP BY "k0";

-- text contains
SELECT "k0", COUNT(*) AS "rows" FROM (SELECT TO_CHAR("asked_source"."g") AS "k0" FROM "data" "asked_source" WHERE NVL(INSTR(TO_CHAR("asked_source"."g"), ?), 1) >= 1 AND NOT TO_CHAR("asked_source"."g") IS NULL) "input" GROUP BY "k0";

-- text starts with
SELECT "k0", COUNT(*) AS "rows" FROM (SELECT TO_CHAR("asked_source"."g") AS "k0" FROM "data" "asked_source" WHERE NVL(INSTR(TO_CHAR("asked_source"."g"), ?), 1) = 1 AND NOT TO_CHAR("asked_source"."g") IS NULL) "input" GROUP BY "k0";

-- text is one of
SELECT "k0", COUNT(*) AS "rows" FROM (SELECT TO_CHAR("asked_source"."g") AS "k0" FROM "data" "asked_source" WHERE TO_CHAR("asked_source"."g") IN (?, ?, ?)) "input" GROUP BY "k0";

-- text comes after
SELECT "k0", COUNT(*) AS "rows" FROM (SELECT TO_CHAR("asked_source"."g") AS "k0" FROM "data" "asked_source" WHERE TO_CHAR("asked_source"."g") >= ?) "input" GROUP BY "k0";

-- numbers between
SELECT COUNT(*) AS "rows", COUNT("m") AS "n", COUNT(CASE WHEN "m" IS NAN THEN 1 END) AS "nans", COUNT(CASE WHEN "m" = BINARY_DOUBLE_INFINITY THEN 1 END) AS "positive", COUNT(CASE WHEN "m" = -BINARY_DOUBLE_INFINITY THEN 1 END) AS "negative", SUM(CAST(("t0") AS NUMBER(19))) AS "s0", SUM(CAST(("t1" - "t0" * 4503599627370496.0e0d) AS NUMBER(19))) AS "s1", SUM(CAST(("t2" - "t1" * 4503599627370496.0e0d) AS NUMBER(19))) AS "s2", SUM(CAST(("t3" - "t2" * 16.0e0d) AS NUMBER(19))) AS "s3", COUNT(CASE WHEN "r0" = "t3" * 1.232595164407831e-32d THEN 1 END) AS "exact" FROM (SELECT "m", "r0", CASE WHEN ABS("r0" * 0.25e0d) <= 9007199254740992.0e0d THEN CAST(CAST("r0" * 0.25e0d AS NUMBER(19)) AS BINARY_DOUBLE) ELSE "r0" * 0.25e0d END AS "t0", CASE WHEN ABS("r0" * 1125899906842624.0e0d) <= 9007199254740992.0e0d THEN CAST(CAST("r0" * 1125899906842624.0e0d AS NUMBER(19)) AS BINARY_DOUBLE) ELSE "r0" * 1125899906842624.0e0d END AS "t1", CASE WHEN ABS("r0" * 5.070602400912918e+30d) <= 9007199254740992.0e0d THEN CAST(CAST("r0" * 5.070602400912918e+30d AS NUMBER(19)) AS BINARY_DOUBLE) ELSE "r0" * 5.070602400912918e+30d END AS "t2", CASE WHEN ABS("r0" * 8.112963841460668e+31d) <= 9007199254740992.0e0d THEN CAST(CAST("r0" * 8.112963841460668e+31d AS NUMBER(19)) AS BINARY_DOUBLE) ELSE "r0" * 8.112963841460668e+31d END AS "t3" FROM (SELECT "m", CASE WHEN ABS("m") <= 1e+16d THEN "m" END AS "r0" FROM (SELECT CAST("asked_source"."x" AS BINARY_DOUBLE) AS "m" FROM "data" "asked_source" WHERE ((NOT "asked_source"."d" IN (?, ?) AND SYS_EXTRACT_UTC(CAST("asked_source"."day" AS TIMESTAMP WITH TIME ZONE)) >= ?) AND "asked_source"."i" > ?) AND ((CAST("asked_source"."x" AS BINARY_DOUBLE) >= ? AND CAST("asked_source"."x" AS BINARY_DOUBLE) <= ?) AND NOT CAST("asked_source"."x" AS BINARY_DOUBLE) IS NAN)) "input") "input") "input";
