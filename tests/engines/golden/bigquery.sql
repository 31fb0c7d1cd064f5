-- rows
SELECT COUNT(*) AS `rows` FROM (SELECT 1 AS `one` FROM `data` AS `source`) AS `input`;

-- sum of doubles
SELECT `k0`, COUNT(*) AS `rows`, COUNT(`m`) AS `n`, COUNT(CASE WHEN IS_NAN(`m`) THEN 1 END) AS `nans`, COUNT(CASE WHEN `m` = CAST('Infinity' AS FLOAT64) THEN 1 END) AS `positive`, COUNT(CASE WHEN `m` = CAST('-Infinity' AS FLOAT64) THEN 1 END) AS `negative`, SUM(CAST(`q0` AS NUMERIC)) AS `s0`, SUM(CAST(`q1` AS NUMERIC)) AS `s1`, SUM(CAST(`q2` AS NUMERIC)) AS `s2`, SUM(CAST(`q3` AS NUMERIC)) AS `s3`, COUNT(CASE WHEN `r4` = CAST(0.0e0 AS FLOAT64) THEN 1 END) AS `exact` FROM (SELECT `k0`, `m`, `q0`, `q1`, `q2`, `q3`, `r3` - CAST(`q3` AS FLOAT64) * CAST(1.232595164407831e-32 AS FLOAT64) AS `r4` FROM (SELECT `k0`, `m`, `q0`, `q1`, `q2`, `r3`, CAST(`r3` * CAST(8.112963841460668e+31 AS FLOAT64) AS INT64) AS `q3` FROM (SELECT `k0`, `m`, `q0`, `q1`, `q2`, `r2` - CAST(`q2` AS FLOAT64) * CAST(1.9721522630525295e-31 AS FLOAT64) AS `r3` FROM (SELECT `k0`, `m`, `q0`, `q1`, `r2`, CAST(`r2` * CAST(5.070602400912918e+30 AS FLOAT64) AS INT64) AS `q2` FROM (SELECT `k0`, `m`, `q0`, `q1`, `r1` - CAST(`q1` AS FLOAT64) * CAST(8.881784197001252e-16 AS FLOAT64) AS `r2` FROM (SELECT `k0`, `m`, `q0`, `r1`, CAST(`r1` * CAST(1125899906842624.0e0 AS FLOAT64) AS INT64) AS `q1` FROM (SELECT `k0`, `m`, `q0`, `r0` - CAST(`q0` AS FLOAT64) * CAST(4.0e0 AS FLOAT64) AS `r1` FROM (SELECT `k0`, `m`, `r0`, CAST(`r0` * CAST(0.25e0 AS FLOAT64) AS INT64) AS `q0` FROM (SELECT `k0`, `m`, CASE WHEN ABS(`m`) <= CAST(1e+16 AS FLOAT64) AND NOT IS_NAN(`m`) THEN `m` END AS `r0` FROM (SELECT `source`.`g` AS `k0`, `source`.`x` AS `m` FROM `data` AS `source`) AS `input`) AS `input`) AS `input`) AS `input`) AS `input`) AS `input`) AS `input`) AS `input`) AS `input`) AS `input` GROUP BY `k0`;

-- mean of doubles
SELECT COUNT(*) AS `rows`, COUNT(`m`) AS `n`, COUNT(CASE WHEN IS_NAN(`m`) THEN 1 END) AS `nans`, COUNT(CASE WHEN `m` = CAST('Infinity' AS FLOAT64) THEN 1 END) AS `positive`, COUNT(CASE WHEN `m` = CAST('-Infinity' AS FLOAT64) THEN 1 END) AS `negative`, SUM(CAST(`q0` AS NUMERIC)) AS `s0`, SUM(CAST(`q1` AS NUMERIC)) AS `s1`, SUM(CAST(`q2` AS NUMERIC)) AS `s2`, SUM(CAST(`q3` AS NUMERIC)) AS `s3`, COUNT(CASE WHEN `r4` = CAST(0.0e0 AS FLOAT64) THEN 1 END) AS `exact` FROM (SELECT `m`, `q0`, `q1`, `q2`, `q3`, `r3` - CAST(`q3` AS FLOAT64) * CAST(1.232595164407831e-32 AS FLOAT64) AS `r4` FROM (SELECT `m`, `q0`, `q1`, `q2`, `r3`, CAST(`r3` * CAST(8.112963841460668e+31 AS FLOAT64) AS INT64) AS `q3` FROM (SELECT `m`, `q0`, `q1`, `q2`, `r2` - CAST(`q2` AS FLOAT64) * CAST(1.9721522630525295e-31 AS FLOAT64) AS `r3` FROM (SELECT `m`, `q0`, `q1`, `r2`, CAST(`r2` * CAST(5.070602400912918e+30 AS FLOAT64) AS INT64) AS `q2` FROM (SELECT `m`, `q0`, `q1`, `r1` - CAST(`q1` AS FLOAT64) * CAST(8.881784197001252e-16 AS FLOAT64) AS `r2` FROM (SELECT `m`, `q0`, `r1`, CAST(`r1` * CAST(1125899906842624.0e0 AS FLOAT64) AS INT64) AS `q1` FROM (SELECT `m`, `q0`, `r0` - CAST(`q0` AS FLOAT64) * CAST(4.0e0 AS FLOAT64) AS `r1` FROM (SELECT `m`, `r0`, CAST(`r0` * CAST(0.25e0 AS FLOAT64) AS INT64) AS `q0` FROM (SELECT `m`, CASE WHEN ABS(`m`) <= CAST(1e+16 AS FLOAT64) AND NOT IS_NAN(`m`) THEN `m` END AS `r0` FROM (SELECT `source`.`x` AS `m` FROM `data` AS `source`) AS `input`) AS `input`) AS `input`) AS `input`) AS `input`) AS `input`) AS `input`) AS `input`) AS `input`) AS `input`;

-- largest double
SELECT `k0`, COUNT(*) AS `rows`, COUNT(CASE WHEN IS_NAN(`m`) THEN 1 END) AS `nans`, MAX(CASE WHEN NOT IS_NAN(`m`) THEN `m` END) AS `extreme`, COUNT(`m`) AS `n` FROM (SELECT `source`.`g` AS `k0`, `source`.`x` AS `m` FROM `data` AS `source`) AS `input` GROUP BY `k0`;

-- doubles by double
SELECT `k0`, COUNT(*) AS `rows`, COUNT(`m`) AS `n` FROM (SELECT CASE WHEN `source`.`x` = CAST(0.0e0 AS FLOAT64) THEN CAST(0.0e0 AS FLOAT64) ELSE `source`.`x` END AS `k0`, `source`.`d` AS `m` FROM `data` AS `source`) AS `input` GROUP BY `k0`;

-- sum of integers
SELECT `k0`, COUNT(*) AS `rows`, SUM(CAST(`m` AS BIGNUMERIC)) AS `total`, COUNT(`m`) AS `n` FROM (SELECT `source`.`g` AS `k0`, `source`.`i` AS `m` FROM `data` AS `source`) AS `input` GROUP BY `k0`;

-- sum of decimals
SELECT `k0`, COUNT(*) AS `rows`, SUM(CAST(`m` AS NUMERIC)) AS `total`, COUNT(`m`) AS `n` FROM (SELECT `source`.`day` AS `k0`, `source`.`d` AS `m` FROM `data` AS `source`) AS `input` GROUP BY `k0`;

-- sum of long decimals
SELECT `k0`, COUNT(*) AS `rows`, SUM(CAST(`m` AS BIGNUMERIC)) AS `total`, COUNT(`m`) AS `n` FROM (SELECT `source`.`g` AS `k0`, `source`.`w` AS `m` FROM `data` AS `source`) AS `input` GROUP BY `k0`;

-- mean of decimals
SELECT `k0`, COUNT(*) AS `rows`, SUM(CAST(`m` AS NUMERIC)) AS `total`, COUNT(`m`) AS `n` FROM (SELECT `source`.`g` AS `k0`, `source`.`d` AS `m` FROM `data` AS `source`) AS `input` GROUP BY `k0`;

-- smallest text
SELECT `k0`, COUNT(*) AS `rows`, MIN(`m`) AS `extreme`, COUNT(`m`) AS `n` FROM (SELECT `source`.`day` AS `k0`, `source`.`g` AS `m` FROM `data` AS `source`) AS `input` GROUP BY `k0`;

-- times
SELECT `k0`, COUNT(*) AS `rows`, MAX(`m`) AS `extreme`, COUNT(`m`) AS `n` FROM (SELECT `source`.`day` AS `k0`, CAST(`source`.`at` AS DATETIME) AS `m` FROM `data` AS `source` WHERE CAST(`source`.`at` AS DATETIME) <= CAST(? AS DATETIME)) AS `input` GROUP BY `k0`;

-- text contains
SELECT `k0`, COUNT(*) AS `rows` FROM (SELECT `source`.`g` AS `k0` FROM `data` AS `source` WHERE STRPOS(`source`.`g`, CAST(? AS STRING)) > 0) AS `input` GROUP BY `k0`;

-- text starts with
SELECT `k0`, COUNT(*) AS `rows` FROM (SELECT `source`.`g` AS `k0` FROM `data` AS `source` WHERE STARTS_WITH(`source`.`g`, CAST(? AS STRING))) AS `input` GROUP BY `k0`;

-- text is one of
SELECT `k0`, COUNT(*) AS `rows` FROM (SELECT `source`.`g` AS `k0` FROM `data` AS `source` WHERE `source`.`g` IN (CAST(? AS STRING), CAST(? AS STRING), CAST(? AS STRING))) AS `input` GROUP BY `k0`;

-- text comes after
SELECT `k0`, COUNT(*) AS `rows` FROM (SELECT `source`.`g` AS `k0` FROM `data` AS `source` WHERE `source`.`g` >= CAST(? AS STRING)) AS `input` GROUP BY `k0`;

-- numbers between
SELECT COUNT(*) AS `rows`, COUNT(`m`) AS `n`, COUNT(CASE WHEN IS_NAN(`m`) THEN 1 END) AS `nans`, COUNT(CASE WHEN `m` = CAST('Infinity' AS FLOAT64) THEN 1 END) AS `positive`, COUNT(CASE WHEN `m` = CAST('-Infinity' AS FLOAT64) THEN 1 END) AS `negative`, SUM(CAST(`q0` AS NUMERIC)) AS `s0`, SUM(CAST(`q1` AS NUMERIC)) AS `s1`, SUM(CAST(`q2` AS NUMERIC)) AS `s2`, SUM(CAST(`q3` AS NUMERIC)) AS `s3`, COUNT(CASE WHEN `r4` = CAST(0.0e0 AS FLOAT64) THEN 1 END) AS `exact` FROM (SELECT `m`, `q0`, `q1`, `q2`, `q3`, `r3` - CAST(`q3` AS FLOAT64) * CAST(1.232595164407831e-32 AS FLOAT64) AS `r4` FROM (SELECT `m`, `q0`, `q1`, `q2`, `r3`, CAST(`r3` * CAST(8.112963841460668e+31 AS FLOAT64) AS INT64) AS `q3` FROM (SELECT `m`, `q0`, `q1`, `q2`, `r2` - CAST(`q2` AS FLOAT64) * CAST(1.9721522630525295e-31 AS FLOAT64) AS `r3` FROM (SELECT `m`, `q0`, `q1`, `r2`, CAST(`r2` * CAST(5.070602400912918e+30 AS FLOAT64) AS INT64) AS `q2` FROM (SELECT `m`, `q0`, `q1`, `r1` - CAST(`q1` AS FLOAT64) * CAST(8.881784197001252e-16 AS FLOAT64) AS `r2` FROM (SELECT `m`, `q0`, `r1`, CAST(`r1` * CAST(1125899906842624.0e0 AS FLOAT64) AS INT64) AS `q1` FROM (SELECT `m`, `q0`, `r0` - CAST(`q0` AS FLOAT64) * CAST(4.0e0 AS FLOAT64) AS `r1` FROM (SELECT `m`, `r0`, CAST(`r0` * CAST(0.25e0 AS FLOAT64) AS INT64) AS `q0` FROM (SELECT `m`, CASE WHEN ABS(`m`) <= CAST(1e+16 AS FLOAT64) AND NOT IS_NAN(`m`) THEN `m` END AS `r0` FROM (SELECT `source`.`x` AS `m` FROM `data` AS `source` WHERE ((NOT `source`.`d` IN (CAST(? AS NUMERIC), CAST(? AS NUMERIC)) AND `source`.`day` >= CAST(? AS DATE)) AND `source`.`i` > CAST(? AS INT64)) AND ((`source`.`x` >= CAST(? AS FLOAT64) AND `source`.`x` <= CAST(? AS FLOAT64)) AND NOT IS_NAN(`source`.`x`))) AS `input`) AS `input`) AS `input`) AS `input`) AS `input`) AS `input`) AS `input`) AS `input`) AS `input`) AS `input`;
