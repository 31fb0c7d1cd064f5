-- rows
SELECT COUNT(*) AS `rows` FROM (SELECT 1 AS `one` FROM `data` AS `asked_source`) AS `input`;

-- sum of doubles
SELECT `k0`, COUNT(*) AS `rows`, COUNT(`m`) AS `n`, COUNT(CASE WHEN IS_NAN(`m`) THEN 1 END) AS `nans`, COUNT(CASE WHEN `m` = CAST('Infinity' AS FLOAT64) THEN 1 END) AS `positive`, COUNT(CASE WHEN `m` = CAST('-Infinity' AS FLOAT64) THEN 1 END) AS `negative`, SUM(CAST(CAST((`t0`) AS INT64) AS BIGNUMERIC)) AS `s0`, SUM(CAST(CAST((`t1` - `t0` * CAST(4503599627370496.0e0 AS FLOAT64)) AS INT64) AS BIGNUMERIC)) AS `s1`, SUM(CAST(CAST((`t2` - `t1` * CAST(4503599627370496.0e0 AS FLOAT64)) AS INT64) AS BIGNUMERIC)) AS `s2`, SUM(CAST(CAST((`t3` - `t2` * CAST(16.0e0 AS FLOAT64)) AS INT64) AS BIGNUMERIC)) AS `s3`, COUNT(CASE WHEN `r0` = `t3` * CAST(1.232595164407831e-32 AS FLOAT64) THEN 1 END) AS `exact` FROM (SELECT `k0`, `m`, `r0`, CASE WHEN ABS(`r0` * CAST(0.25e0 AS FLOAT64)) <= CAST(9007199254740992.0e0 AS FLOAT64) AND NOT IS_NAN(`r0` * CAST(0.25e0 AS FLOAT64)) THEN CAST(CAST(`r0` * CAST(0.25e0 AS FLOAT64) AS INT64) AS FLOAT64) ELSE `r0` * CAST(0.25e0 AS FLOAT64) END AS `t0`, CASE WHEN ABS(`r0` * CAST(1125899906842624.0e0 AS FLOAT64)) <= CAST(9007199254740992.0e0 AS FLOAT64) AND NOT IS_NAN(`r0` * CAST(1125899906842624.0e0 AS FLOAT64)) THEN CAST(CAST(`r0` * CAST(1125899906842624.0e0 AS FLOAT64) AS INT64) AS FLOAT64) ELSE `r0` * CAST(1125899906842624.0e0 AS FLOAT64) END AS `t1`, CASE WHEN ABS(`r0` * CAST(5.070602400912918e+30 AS FLOAT64)) <= CAST(9007199254740992.0e0 AS FLOAT64) AND NOT IS_NAN(`r0` * CAST(5.070602400912918e+30 AS FLOAT64)) THEN CAST(CAST(`r0` * CAST(5.070602400912918e+30 AS FLOAT64) AS INT64) AS FLOAT64) ELSE `r0` * CAST(5.070602400912918e+30 AS FLOAT64) END AS `t2`, CASE WHEN ABS(`r0` * CAST(8.112963841460668e+31 AS FLOAT64)) <= CAST(9007199254740992.0e0 AS FLOAT64) AND NOT IS_NAN(`r0` * CAST(8.112963841460668e+31 AS FLOAT64)) THEN CAST(CAST(`r0` * CAST(8.112963841460668e+31 AS FLOAT64) AS INT64) AS FLOAT64) ELSE `r0` * CAST(8.112963841460668e+31 AS FLOAT64) END AS `t3` FROM (SELECT `k0`, `m`, CASE WHEN ABS(`m`) <= CAST(1e+16 AS FLOAT64) AND NOT IS_NAN(`m`) THEN `m` END AS `r0` FROM (SELECT `asked_source`.`g` AS `k0`, `asked_source`.`x` AS `m` FROM `data` AS `asked_source`) AS `input`) AS `input`) AS `input` GROUP BY `k0`;

-- mean of doubles
SELECT COUNT(*) AS `rows`, COUNT(`m`) AS `n`, COUNT(CASE WHEN IS_NAN(`m`) THEN 1 END) AS `nans`, COUNT(CASE WHEN `m` = CAST('Infinity' AS FLOAT64) THEN 1 END) AS `positive`, COUNT(CASE WHEN `m` = CAST('-Infinity' AS FLOAT64) THEN 1 END) AS `negative`, SUM(CAST(CAST((`t0`) AS INT64) AS BIGNUMERIC)) AS `s0`, SUM(CAST(CAST((`t1` - `t0` * CAST(4503599627370496.0e0 AS FLOAT64)) AS INT64) AS BIGNUMERIC)) AS `s1`, SUM(CAST(CAST((`t2` - `t1` * CAST(4503599627370496.0e0 AS FLOAT64)) AS INT64) AS BIGNUMERIC)) AS `s2`, SUM(CAST(CAST((`t3` - `t2` * CAST(16.0e0 AS FLOAT64)) AS INT64) AS BIGNUMERIC)) AS `s3`, COUNT(CASE WHEN `r0` = `t3` * CAST(1.232595164407831e-32 AS FLOAT64) THEN 1 END) AS `exact` FROM (SELECT `m`, `r0`, CASE WHEN ABS(`r0` * CAST(0.25e0 AS FLOAT64)) <= CAST(9007199254740992.0e0 AS FLOAT64) AND NOT IS_NAN(`r0` * CAST(0.25e0 AS FLOAT64)) THEN CAST(CAST(`r0` * CAST(0.25e0 AS FLOAT64) AS INT64) AS FLOAT64) ELSE `r0` * CAST(0.25e0 AS FLOAT64) END AS `t0`, CASE WHEN ABS(`r0` * CAST(1125899906842624.0e0 AS FLOAT64)) <= CAST(9007199254740992.0e0 AS FLOAT64) AND NOT IS_NAN(`r0` * CAST(1125899906842624.0e0 AS FLOAT64)) THEN CAST(CAST(`r0` * CAST(1125899906842624.0e0 AS FLOAT64) AS INT64) AS FLOAT64) ELSE `r0` * CAST(1125899906842624.0e0 AS FLOAT64) END AS `t1`, CASE WHEN ABS(`r0` * CAST(5.070602400912918e+30 AS FLOAT64)) <= CAST(9007199254740992.0e0 AS FLOAT64) AND NOT IS_NAN(`r0` * CAST(5.070602400912918e+30 AS FLOAT64)) THEN CAST(CAST(`r0` * CAST(5.070602400912918e+30 AS FLOAT64) AS INT64) AS FLOAT64) ELSE `r0` * CAST(5.070602400912918e+30 AS FLOAT64) END AS `t2`, CASE WHEN ABS(`r0` * CAST(8.112963841460668e+31 AS FLOAT64)) <= CAST(9007199254740992.0e0 AS FLOAT64) AND NOT IS_NAN(`r0` * CAST(8.112963841460668e+31 AS FLOAT64)) THEN CAST(CAST(`r0` * CAST(8.112963841460668e+31 AS FLOAT64) AS INT64) AS FLOAT64) ELSE `r0` * CAST(8.112963841460668e+31 AS FLOAT64) END AS `t3` FROM (SELECT `m`, CASE WHEN ABS(`m`) <= CAST(1e+16 AS FLOAT64) AND NOT IS_NAN(`m`) THEN `m` END AS `r0` FROM (SELECT `asked_source`.`x` AS `m` FROM `data` AS `asked_source`) AS `input`) AS `input`) AS `input`;

-- largest double
SELECT `k0`, COUNT(*) AS `rows`, COUNT(CASE WHEN IS_NAN(`m`) THEN 1 END) AS `nans`, MAX(CASE WHEN NOT IS_NAN(`m`) THEN `m` END) AS `extreme`, COUNT(`m`) AS `n` FROM (SELECT `asked_source`.`g` AS `k0`, `asked_source`.`x` AS `m` FROM `data` AS `asked_source`) AS `input` GROUP BY `k0`;

-- doubles by double
SELECT `k0`, COUNT(*) AS `rows`, COUNT(`m`) AS `n` FROM (SELECT CASE WHEN `asked_source`.`x` = CAST(0.0e0 AS FLOAT64) THEN CAST(0.0e0 AS FLOAT64) ELSE `asked_source`.`x` END AS `k0`, `asked_source`.`d` AS `m` FROM `data` AS `asked_source`) AS `input` GROUP BY `k0`;

-- sum of integers
SELECT `k0`, COUNT(*) AS `rows`, SUM(CAST(`m` AS BIGNUMERIC)) AS `total`, COUNT(`m`) AS `n` FROM (SELECT `asked_source`.`g` AS `k0`, `asked_source`.`i` AS `m` FROM `data` AS `asked_source`) AS `input` GROUP BY `k0`;

-- sum of decimals
SELECT `k0`, COUNT(*) AS `rows`, SUM(CAST(`m` AS BIGNUMERIC)) AS `total`, COUNT(`m`) AS `n` FROM (SELECT `asked_source`.`day` AS `k0`, `asked_source`.`d` AS `m` FROM `data` AS `asked_source`) AS `input` GROUP BY `k0`;

-- sum of long decimals
SELECT `k0`, COUNT(*) AS `rows`, SUM(CAST(`m` AS BIGNUMERIC)) AS `total`, COUNT(`m`) AS `n` FROM (SELECT `asked_source`.`g` AS `k0`, `asked_source`.`w` AS `m` FROM `data` AS `asked_source`) AS `input` GROUP BY `k0`;

-- mean of decimals
SELECT `k0`, COUNT(*) AS `rows`, SUM(CAST(`m` AS BIGNUMERIC)) AS `total`, COUNT(`m`) AS `n` FROM (SELECT `asked_source`.`g` AS `k0`, `asked_source`.`d` AS `m` FROM `data` AS `asked_source`) AS `input` GROUP BY `k0`;

-- smallest text
SELECT `k0`, COUNT(*) AS `rows`, MIN(`m`) AS `extreme`, COUNT(`m`) AS `n` FROM (SELECT `asked_source`.`day` AS `k0`, `asked_source`.`g` AS `m` FROM `data` AS `asked_source`) AS `input` GROUP BY `k0`;

-- times
SELECT `k0`, COUNT(*) AS `rows`, MAX(`m`) AS `extreme`, COUNT(`m`) AS `n` FROM (SELECT `asked_source`.`day` AS `k0`, CAST(`asked_source`.`moment` AS DATETIME) AS `m` FROM `data` AS `asked_source` WHERE CAST(`asked_source`.`moment` AS DATETIME) <= CAST(? AS DATETIME)) AS `input` GROUP BY `k0`;

-- median of doubles
SELECT `k0`, COUNT(*) AS `rows`, MAX(CASE WHEN `p` * 2 IN (`c` + 0, `c` + 1) THEN `m` END) AS `low`, MAX(CASE WHEN `p` * 2 IN (`c` + 1, `c` + 2) THEN `m` END) AS `high`, MIN(CASE WHEN `c` > 0 THEN `c` END) AS `numbered`, COUNT(CASE WHEN IS_NAN(`m`) THEN 1 END) AS `nans`, COUNT(`m`) AS `n` FROM (SELECT `k0`, `m`, ROW_NUMBER() OVER (PARTITION BY `k0`, CASE WHEN `m` IS NULL THEN 1 ELSE 0 END ORDER BY `m`) AS `p`, COUNT(`m`) OVER (PARTITION BY `k0`, CASE WHEN `m` IS NULL THEN 1 ELSE 0 END) AS `c` FROM (SELECT `asked_source`.`g` AS `k0`, `asked_source`.`x` AS `m` FROM `data` AS `asked_source`) AS `input`) AS `input` GROUP BY `k0`;

-- median of decimals
SELECT COUNT(*) AS `rows`, MAX(CASE WHEN `p` * 2 IN (`c` + 0, `c` + 1) THEN `m` END) AS `low`, MAX(CASE WHEN `p` * 2 IN (`c` + 1, `c` + 2) THEN `m` END) AS `high`, MIN(CASE WHEN `c` > 0 THEN `c` END) AS `numbered`, COUNT(`m`) AS `n` FROM (SELECT `m`, ROW_NUMBER() OVER (PARTITION BY CASE WHEN `m` IS NULL THEN 1 ELSE 0 END ORDER BY `m`) AS `p`, COUNT(`m`) OVER (PARTITION BY CASE WHEN `m` IS NULL THEN 1 ELSE 0 END) AS `c` FROM (SELECT `asked_source`.`d` AS `m` FROM `data` AS `asked_source`) AS `input`) AS `input`;

-- percentile of doubles
SELECT `k0`, COUNT(*) AS `rows`, MAX(CASE WHEN CAST(`p` AS INT64) * 10 + 9 > CAST(`c` AS INT64) * 9 + 0 AND CAST(`p` AS INT64) * 10 + 9 <= CAST(`c` AS INT64) * 9 + 10 THEN `m` END) AS `low`, MAX(CASE WHEN CAST(`p` AS INT64) * 10 + 9 >= CAST(`c` AS INT64) * 9 + 10 AND CAST(`p` AS INT64) * 10 + 9 < CAST(`c` AS INT64) * 9 + 20 THEN `m` END) AS `high`, MIN(CASE WHEN `c` > 0 THEN `c` END) AS `numbered`, COUNT(CASE WHEN IS_NAN(`m`) THEN 1 END) AS `nans`, COUNT(`m`) AS `n` FROM (SELECT `k0`, `m`, ROW_NUMBER() OVER (PARTITION BY `k0`, CASE WHEN `m` IS NULL THEN 1 ELSE 0 END ORDER BY `m`) AS `p`, COUNT(`m`) OVER (PARTITION BY `k0`, CASE WHEN `m` IS NULL THEN 1 ELSE 0 END) AS `c` FROM (SELECT `asked_source`.`g` AS `k0`, `asked_source`.`x` AS `m` FROM `data` AS `asked_source`) AS `input`) AS `input` GROUP BY `k0`;

-- percentile of integers
SELECT COUNT(*) AS `rows`, MAX(CASE WHEN CAST(`p` AS INT64) * 1000 + 999 > CAST(`c` AS INT64) * 999 + 0 AND CAST(`p` AS INT64) * 1000 + 999 <= CAST(`c` AS INT64) * 999 + 1000 THEN `m` END) AS `low`, MAX(CASE WHEN CAST(`p` AS INT64) * 1000 + 999 >= CAST(`c` AS INT64) * 999 + 1000 AND CAST(`p` AS INT64) * 1000 + 999 < CAST(`c` AS INT64) * 999 + 2000 THEN `m` END) AS `high`, MIN(CASE WHEN `c` > 0 THEN `c` END) AS `numbered`, COUNT(`m`) AS `n` FROM (SELECT `m`, ROW_NUMBER() OVER (PARTITION BY CASE WHEN `m` IS NULL THEN 1 ELSE 0 END ORDER BY `m`) AS `p`, COUNT(`m`) OVER (PARTITION BY CASE WHEN `m` IS NULL THEN 1 ELSE 0 END) AS `c` FROM (SELECT `asked_source`.`i` AS `m` FROM `data` AS `asked_source`) AS `input`) AS `input`;

-- different texts
SELECT `k0`, COALESCE(SUM(`c`), 0) AS `rows`, SUM(CASE WHEN `m` IS NULL THEN `c` END) AS `nulls`, COUNT(`m`) AS `n` FROM (SELECT `k0`, `m`, COUNT(*) AS `c` FROM (SELECT `asked_source`.`day` AS `k0`, `asked_source`.`g` AS `m` FROM `data` AS `asked_source`) AS `input` GROUP BY `k0`, `m`) AS `input` GROUP BY `k0`;

-- different doubles
SELECT COALESCE(SUM(`c`), 0) AS `rows`, SUM(CASE WHEN `m` IS NULL THEN `c` END) AS `nulls`, COUNT(`m`) AS `n` FROM (SELECT `m`, COUNT(*) AS `c` FROM (SELECT CASE WHEN `asked_source`.`x` = CAST(0.0e0 AS FLOAT64) THEN CAST(0.0e0 AS FLOAT64) ELSE `asked_source`.`x` END AS `m` FROM `data` AS `asked_source`) AS `input` GROUP BY `m`) AS `input`;

-- spread of doubles
SELECT `k0`, `k1`, COUNT(*) AS `rows` FROM (SELECT `asked_source`.`g` AS `k0`, CASE WHEN `asked_source`.`x` = CAST(0.0e0 AS FLOAT64) THEN CAST(0.0e0 AS FLOAT64) ELSE `asked_source`.`x` END AS `k1` FROM `data` AS `asked_source`) AS `input` GROUP BY `k0`, `k1`;

-- spread of decimals
SELECT `k0`, COUNT(*) AS `rows` FROM (SELECT `asked_source`.`d` AS `k0` FROM `data` AS `asked_source`) AS `input` GROUP BY `k0`;

-- text contains
SELECT `k0`, COUNT(*) AS `rows` FROM (SELECT `asked_source`.`g` AS `k0` FROM `data` AS `asked_source` WHERE STRPOS(`asked_source`.`g`, CAST(? AS STRING)) > 0) AS `input` GROUP BY `k0`;

-- text starts with
SELECT `k0`, COUNT(*) AS `rows` FROM (SELECT `asked_source`.`g` AS `k0` FROM `data` AS `asked_source` WHERE STARTS_WITH(`asked_source`.`g`, CAST(? AS STRING))) AS `input` GROUP BY `k0`;

-- text is one of
SELECT `k0`, COUNT(*) AS `rows` FROM (SELECT `asked_source`.`g` AS `k0` FROM `data` AS `asked_source` WHERE `asked_source`.`g` IN (CAST(? AS STRING), CAST(? AS STRING), CAST(? AS STRING))) AS `input` GROUP BY `k0`;

-- text comes after
SELECT `k0`, COUNT(*) AS `rows` FROM (SELECT `asked_source`.`g` AS `k0` FROM `data` AS `asked_source` WHERE `asked_source`.`g` >= CAST(? AS STRING)) AS `input` GROUP BY `k0`;

-- numbers between
SELECT COUNT(*) AS `rows`, COUNT(`m`) AS `n`, COUNT(CASE WHEN IS_NAN(`m`) THEN 1 END) AS `nans`, COUNT(CASE WHEN `m` = CAST('Infinity' AS FLOAT64) THEN 1 END) AS `positive`, COUNT(CASE WHEN `m` = CAST('-Infinity' AS FLOAT64) THEN 1 END) AS `negative`, SUM(CAST(CAST((`t0`) AS INT64) AS BIGNUMERIC)) AS `s0`, SUM(CAST(CAST((`t1` - `t0` * CAST(4503599627370496.0e0 AS FLOAT64)) AS INT64) AS BIGNUMERIC)) AS `s1`, SUM(CAST(CAST((`t2` - `t1` * CAST(4503599627370496.0e0 AS FLOAT64)) AS INT64) AS BIGNUMERIC)) AS `s2`, SUM(CAST(CAST((`t3` - `t2` * CAST(16.0e0 AS FLOAT64)) AS INT64) AS BIGNUMERIC)) AS `s3`, COUNT(CASE WHEN `r0` = `t3` * CAST(1.232595164407831e-32 AS FLOAT64) THEN 1 END) AS `exact` FROM (SELECT `m`, `r0`, CASE WHEN ABS(`r0` * CAST(0.25e0 AS FLOAT64)) <= CAST(9007199254740992.0e0 AS FLOAT64) AND NOT IS_NAN(`r0` * CAST(0.25e0 AS FLOAT64)) THEN CAST(CAST(`r0` * CAST(0.25e0 AS FLOAT64) AS INT64) AS FLOAT64) ELSE `r0` * CAST(0.25e0 AS FLOAT64) END AS `t0`, CASE WHEN ABS(`r0` * CAST(1125899906842624.0e0 AS FLOAT64)) <= CAST(9007199254740992.0e0 AS FLOAT64) AND NOT IS_NAN(`r0` * CAST(1125899906842624.0e0 AS FLOAT64)) THEN CAST(CAST(`r0` * CAST(1125899906842624.0e0 AS FLOAT64) AS INT64) AS FLOAT64) ELSE `r0` * CAST(1125899906842624.0e0 AS FLOAT64) END AS `t1`, CASE WHEN ABS(`r0` * CAST(5.070602400912918e+30 AS FLOAT64)) <= CAST(9007199254740992.0e0 AS FLOAT64) AND NOT IS_NAN(`r0` * CAST(5.070602400912918e+30 AS FLOAT64)) THEN CAST(CAST(`r0` * CAST(5.070602400912918e+30 AS FLOAT64) AS INT64) AS FLOAT64) ELSE `r0` * CAST(5.070602400912918e+30 AS FLOAT64) END AS `t2`, CASE WHEN ABS(`r0` * CAST(8.112963841460668e+31 AS FLOAT64)) <= CAST(9007199254740992.0e0 AS FLOAT64) AND NOT IS_NAN(`r0` * CAST(8.112963841460668e+31 AS FLOAT64)) THEN CAST(CAST(`r0` * CAST(8.112963841460668e+31 AS FLOAT64) AS INT64) AS FLOAT64) ELSE `r0` * CAST(8.112963841460668e+31 AS FLOAT64) END AS `t3` FROM (SELECT `m`, CASE WHEN ABS(`m`) <= CAST(1e+16 AS FLOAT64) AND NOT IS_NAN(`m`) THEN `m` END AS `r0` FROM (SELECT `asked_source`.`x` AS `m` FROM `data` AS `asked_source` WHERE ((NOT `asked_source`.`d` IN (CAST(? AS NUMERIC), CAST(? AS NUMERIC)) AND `asked_source`.`day` >= CAST(? AS DATE)) AND `asked_source`.`i` > CAST(? AS INT64)) AND ((`asked_source`.`x` >= CAST(? AS FLOAT64) AND `asked_source`.`x` <= CAST(? AS FLOAT64)) AND NOT IS_NAN(`asked_source`.`x`))) AS `input`) AS `input`) AS `input`;
