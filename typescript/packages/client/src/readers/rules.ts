// Written by typescript/shapes.py from service_nb/readers.

export const LIMITS = {
  "text_bytes": 4294967296,
  "json_bytes": 536870912,
  "columns": 4096,
  "name_chars": 1024,
  "cell_chars": 1000000,
  "cells": 4000000000,
  "inflate_ratio": 200,
  "groups": 1000000
} as const;

export const FREE_CELLS = 10000000 as const;

export const HEAD = 200 as const;

export const PATTERNS = {
  "int64": "-?(?:0|[1-9]\\d*)",
  "float64": "(?:-?(?:0|[1-9]\\d*)(?:\\.\\d*)?|-?\\.\\d+)(?:[eE][+-]?\\d+)?|NaN|nan|-?(?:inf|Infinity)",
  "boolean": "(?:true|false)",
  "date": "\\d{4}-\\d\\d-\\d\\d",
  "datetime": "\\d{4}-\\d\\d-\\d\\d(?:[T ]\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,6})?)?)?",
  "datetime zoned": "\\d{4}-\\d\\d-\\d\\d(?:[T ]\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,6})?)?)?(?:Z|[+-]\\d\\d:?\\d\\d)"
} as const;

export const WIDER = {
  "int64": [
    "int64",
    "decimal(38,0)",
    "float64"
  ],
  "float64": [
    "float64"
  ],
  "boolean": [
    "boolean"
  ],
  "date": [
    "date",
    "datetime"
  ],
  "datetime": [
    "datetime"
  ],
  "datetime zoned": [
    "datetime zoned"
  ]
} as const;

export const SPECIAL = "NaN|nan|-?(?:inf|Infinity)" as const;

export const PLACES = [
  2,
  4
] as const;

export const WIDTHS = [
  18,
  38
] as const;

export const MOST_PERCENT = 60 as const;

export const MOST_CURRENCY = 8 as const;

export const BLANKS = "\t\n\u000b\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000" as const;

export const THIN = " \u00a0\u2007\u2009\u202f" as const;

export const ALIKE = {
  " ": " \u00a0\u2007\u2009\u202f",
  "'": "'\u2019"
} as const;

export const THOUSANDS = [
  ".",
  ",",
  " ",
  "'",
  "_"
] as const;

export const DECIMALS = [
  ".",
  ","
] as const;

export const DATE_PARTS = {
  "%Y": [
    "year",
    "[0-9]{4}"
  ],
  "%y": [
    "short",
    "[0-9]{2}"
  ],
  "%m": [
    "month",
    "[0-9]{1,2}"
  ],
  "%d": [
    "day",
    "[0-9]{1,2}"
  ],
  "%H": [
    "hour",
    "[0-9]{1,2}"
  ],
  "%M": [
    "minute",
    "[0-9]{2}"
  ],
  "%S": [
    "second",
    "[0-9]{2}"
  ],
  "%f": [
    "fraction",
    "[0-9]{1,6}"
  ]
} as const;

export const MONTHS = [
  "jan",
  "feb",
  "mar",
  "apr",
  "may",
  "jun",
  "jul",
  "aug",
  "sep",
  "oct",
  "nov",
  "dec"
] as const;

export const FORMS = ".|,|.,|,.|, |. |.'" as const;

export const GROUPING = ".|,| |'" as const;

export const DATE_FORMS = "%d.%m.%Y|%d.%m.%Y %H:%M|%d.%m.%Y %H:%M:%S|%d/%m/%Y|%d/%m/%Y %H:%M|%d/%m/%Y %H:%M:%S|%m/%d/%Y|%m/%d/%Y %H:%M|%m/%d/%Y %H:%M:%S|%d-%m-%Y|%d-%m-%Y %H:%M|%d-%m-%Y %H:%M:%S|%m-%d-%Y|%m-%d-%Y %H:%M|%m-%d-%Y %H:%M:%S|%Y/%m/%d|%Y/%m/%d %H:%M|%Y/%m/%d %H:%M:%S|%Y.%m.%d|%Y.%m.%d %H:%M|%Y.%m.%d %H:%M:%S|%d %b %Y|%d %b %Y %H:%M|%d %b %Y %H:%M:%S|%d-%b-%Y|%d-%b-%Y %H:%M|%d-%b-%Y %H:%M:%S|%b %d, %Y|%b %d, %Y %H:%M|%b %d, %Y %H:%M:%S|%Y-%m-%d|%Y-%m-%d %H:%M|%Y-%m-%d %H:%M:%S|%d.%m.%y|%d/%m/%y|%m/%d/%y" as const;

export const CURRENCY = "[$\u20ac\u00a3\u00a5\u20b9]|CHF|EUR|USD|GBP|Fr\\.|kr|z\u0142" as const;

export const REASONS = {
  "enough": 0.5,
  "sample": 50,
  "longestDate": 40,
  "missing": 5,
  "missingChars": 12
} as const;

export const DELIMITERS = ",;\t|" as const;

export const TOTALS = {
  "words": [
    "total",
    "totals",
    "grand total",
    "sum",
    "\u03c3",
    "\u2211",
    "summe",
    "gesamt",
    "gesamtsumme",
    "insgesamt",
    "total g\u00e9n\u00e9ral",
    "subtotal",
    "sub-total",
    "overall",
    "all",
    "grand-total",
    "sum total",
    "ergebnis",
    "saldo",
    "zwischensumme",
    "\u5408\u8ba1",
    "\u00f6sszesen",
    "toplam",
    "celkem",
    "totaal",
    "totale",
    "suma",
    "totalt",
    "somme",
    "soma",
    "razem",
    "\u0438\u0442\u043e\u0433\u043e",
    "\u0432\u0441\u0435\u0433\u043e",
    "\u5408\u8a08",
    "\u603b\u8ba1",
    "\ud569\uacc4",
    "subtotals",
    "sous-total",
    "subtotaal",
    "teilsumme",
    "mezisou\u010det",
    "\u5c0f\u8a08",
    "\u5c0f\u8ba1",
    "\uc18c\uacc4"
  ],
  "names": [
    "all",
    "overall",
    "saldo",
    "ergebnis",
    "soma",
    "suma",
    "somme",
    "summe",
    "sum"
  ],
  "above": 2,
  "named": 0.005,
  "near": 1e-09,
  "pattern": "^ *(?:total|totals|grand total|sum|\u03c3|\u2211|summe|gesamt|gesamtsumme|insgesamt|total g\u00e9n\u00e9ral|subtotal|sub-total|overall|all|grand-total|sum total|ergebnis|saldo|zwischensumme|\u5408\u8ba1|\u00f6sszesen|toplam|celkem|totaal|totale|suma|totalt|somme|soma|razem|\u0438\u0442\u043e\u0433\u043e|\u0432\u0441\u0435\u0433\u043e|\u5408\u8a08|\u603b\u8ba1|\ud569\uacc4|subtotals|sous-total|subtotaal|teilsumme|mezisou\u010det|\u5c0f\u8a08|\u5c0f\u8ba1|\uc18c\uacc4)(?:[ :]|$)|(?:^| )(?:total|totals|grand total|sum|\u03c3|\u2211|summe|gesamt|gesamtsumme|insgesamt|total g\u00e9n\u00e9ral|subtotal|sub-total|overall|all|grand-total|sum total|ergebnis|saldo|zwischensumme|\u5408\u8ba1|\u00f6sszesen|toplam|celkem|totaal|totale|suma|totalt|somme|soma|razem|\u0438\u0442\u043e\u0433\u043e|\u0432\u0441\u0435\u0433\u043e|\u5408\u8a08|\u603b\u8ba1|\ud569\uacc4|subtotals|sous-total|subtotaal|teilsumme|mezisou\u010det|\u5c0f\u8a08|\u5c0f\u8ba1|\uc18c\uacc4) *:? *$",
  "average": "^ *(?:average|averages|avg|mean|means|\u00f8|\u2300|durchschnitt|mittelwert|mittel|schnitt|moyenne|media|promedio|m\u00e9dia|gemiddelde|gemiddeld|genomsnitt|medelv\u00e4rde|medel|gennemsnit|gjennomsnitt|\u015brednia|pr\u016fm\u011br|\u00e1tlag|ortalama|\u0441\u0440\u0435\u0434\u043d\u0435\u0435|\u5e73\u5747|\ud3c9\uade0)(?:[ :]|$)|(?:^| )(?:average|averages|avg|mean|means|\u00f8|\u2300|durchschnitt|mittelwert|mittel|schnitt|moyenne|media|promedio|m\u00e9dia|gemiddelde|gemiddeld|genomsnitt|medelv\u00e4rde|medel|gennemsnit|gjennomsnitt|\u015brednia|pr\u016fm\u011br|\u00e1tlag|ortalama|\u0441\u0440\u0435\u0434\u043d\u0435\u0435|\u5e73\u5747|\ud3c9\uade0) *:? *$",
  "rows": 20000
} as const;

export const REMARKS = {
  "pattern": "^ *(?:[*\u2020\u2021#\u00a9\u00b9\u00b2\u00b3]|[(\\[][0-9a-z][)\\]]|[0-9a-z][)] |\\(c\\) |https?://)|^ *(?:source|sources|data source|note|notes|nb|n\\.b\\.|remark|remarks|footnote|legend|as of|updated|last updated|last update|generated|exported|printed|created|copyright|quelle|quellen|hinweis|hinweise|anmerkung|anmerkungen|bemerkung|stand|erstellt|fuente|nota|notas|fonte|remarque|bron|k\u00e4lla|kilde|\u017ar\u00f3d\u0142o|zdroj|forr\u00e1s|\u0438\u0441\u0442\u043e\u0447\u043d\u0438\u043a|\u043f\u0440\u0438\u043c\u0435\u0447\u0430\u043d\u0438\u0435|\u6ce8|\u51fa\u5178|\u6765\u6e90|\ucd9c\ucc98|end of report|end of file|end of data)(?:[ :.]|$)|: |:$",
  "width": 20,
  "most": 20
} as const;

export const SENTINELS = {
  "nines": [
    -99,
    99,
    -999,
    999,
    -9999,
    9999,
    -99999,
    99999,
    -999999,
    999999,
    -66,
    -77,
    -88,
    -32767,
    -32768,
    32767,
    -2147483648,
    -2147483647,
    2147483647
  ],
  "fills": [
    -99.9,
    -99.99,
    -999.9,
    -999.99,
    -999.25,
    -9999.9,
    -9999.99,
    -99999.9,
    999.9,
    9999.9,
    1e+20,
    -1e+20,
    1e+30,
    -1e+30,
    1e+31,
    1e+34,
    -1e+34,
    1e+35,
    1e+36,
    -1e+36,
    9.969209968386869e+36,
    9.96921e+36,
    1.70141e+38,
    -1e+37,
    -3.40282306074e+38,
    3.4028234663852886e+38,
    -3.4028234663852886e+38,
    -3.4028235e+38,
    1.7976931348623157e+308,
    -1.7976931348623157e+308,
    -9.223372036854776e+18,
    9.223372036854776e+18
  ],
  "codes": [
    -1,
    -7,
    -8,
    -9
  ],
  "farAbove": 10,
  "farTimes": 1000000.0,
  "once": -999,
  "huge": 1e+20,
  "marks": 8
} as const;

export const MARKED_DAYS = [
  "0001-01-01",
  "1601-01-01",
  "1753-01-01",
  "1899-12-30",
  "1899-12-31",
  "1900-01-01",
  "1904-01-01",
  "1970-01-01",
  "2038-01-19",
  "2079-06-06",
  "2099-12-31",
  "2100-01-01",
  "2199-12-31",
  "2262-04-11",
  "2999-12-31",
  "3000-01-01",
  "9999-01-01",
  "9999-12-30",
  "9999-12-31"
] as const;

export const FAR_DAYS = 365 as const;

export const PAGES = {
  "page": [
    "cursor",
    "hasmore",
    "hasnext",
    "islast",
    "next",
    "nextcursor",
    "nextlink",
    "nextpage",
    "nextpagetoken",
    "nexttoken",
    "nexturl",
    "offset",
    "page",
    "pagecount",
    "pageinfo",
    "pageno",
    "pagenumber",
    "pages",
    "pagesize",
    "pagination",
    "paging",
    "perpage",
    "prev",
    "previous",
    "prevpage",
    "skip",
    "totalpages"
  ],
  "answer": [
    "code",
    "count",
    "error",
    "errors",
    "etag",
    "first",
    "href",
    "kind",
    "last",
    "limit",
    "links",
    "message",
    "meta",
    "metadata",
    "object",
    "ok",
    "requestid",
    "self",
    "size",
    "start",
    "status",
    "success",
    "timestamp",
    "took",
    "total",
    "totalcount",
    "totalresults",
    "url",
    "version"
  ],
  "levels": 4,
  "members": 1000
} as const;

export const YEARS = [
  1800,
  2200
] as const;

export const CHANGES = {
  "safe": 15,
  "most": 767,
  "shown": 40
} as const;

export const CODE = "[1-9][0-9]*[eE][0-9]{1,3}" as const;

export const UNSEEN = "\\x00-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff" as const;

export const JOINERS = "(^|[\\x00-\u058f])[\u200c\u200d]+" as const;

export const OTHER_SCRIPTS = "\u0590-\uffff\ud800\udc00-\udbff\udfff" as const;

export const WITHIN = "\\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000" as const;

export const APART = {
  "most": 40,
  "before": 12
} as const;

export const BLOCK = 1048576 as const;

export const HEADER_BYTES = 16777216 as const;

export const ENDINGS = {
  "delimited": [
    ".csv",
    ".tsv",
    ".tab",
    ".psv",
    ".txt"
  ],
  "json_document": [
    ".json"
  ],
  "ndjson": [
    ".ndjson",
    ".jsonl"
  ],
  "excel": [
    ".xlsx",
    ".xlsm"
  ],
  "parquet": [
    ".parquet",
    ".pq"
  ],
  "arrow_ipc": [
    ".arrow",
    ".feather",
    ".ipc"
  ]
} as const;

export const OF_PYTHON = [
  "excel",
  "parquet",
  "arrow_ipc"
] as const;

export const SQLITE = {
  "most_sql": 100000,
  "functions": "-> ->> abs avg coalesce count cume_dist date datetime dense_rank first_value glob group_concat hex ifnull iif instr json_extract julianday lag last_value lead length like likelihood likely lower ltrim max min nth_value ntile nullif percent_rank rank replace round row_number rtrim sign strftime substr substring sum time total trim typeof unicode unlikely upper"
} as const;

export const SQLITE_ENDINGS = [
  ".sqlite",
  ".sqlite3",
  ".db",
  ".db3"
] as const;

export const SECRET_KEYS = [
  "accesskey",
  "accesstoken",
  "accountkey",
  "apikey",
  "authtoken",
  "awssecretaccesskey",
  "bearertoken",
  "clientsecret",
  "credential",
  "credentials",
  "passphrase",
  "passwd",
  "password",
  "privatekey",
  "privatekeypassphrase",
  "pwd",
  "sastoken",
  "secret",
  "secretaccesskey",
  "secretkey",
  "sessiontoken",
  "token"
] as const;

export const STRING_KEYS = [
  "connectionstring",
  "connstr",
  "connstring",
  "databaseurl",
  "dsn",
  "jdbcurl"
] as const;

export const PLACE_KEYS = [
  "accountname",
  "awsaccesskeyid",
  "bucket",
  "container",
  "database",
  "db",
  "dbname",
  "endpoint",
  "host",
  "hostname",
  "httppath",
  "port",
  "repository",
  "server",
  "servicename",
  "uri",
  "url",
  "user",
  "username",
  "warehouse"
] as const;

export const DESCRIPTOR_KEYS = [
  "account",
  "anonymous",
  "ca",
  "cacertificate",
  "catalog",
  "connectionstring",
  "currency",
  "cursor",
  "cursorparam",
  "database",
  "dateformat",
  "decimal",
  "delimiter",
  "emails",
  "encoding",
  "encrypt",
  "firstpage",
  "flatten",
  "format",
  "headers",
  "host",
  "id",
  "location",
  "maxbytes",
  "maxcommits",
  "maximumbytesbilled",
  "maxkeys",
  "maxpages",
  "maxrows",
  "members",
  "method",
  "name",
  "nulls",
  "offsetparam",
  "pageparam",
  "pagination",
  "password",
  "path",
  "pattern",
  "percent",
  "port",
  "project",
  "protocol",
  "query",
  "records",
  "ref",
  "region",
  "role",
  "schema",
  "scheme",
  "secure",
  "sheet",
  "sid",
  "size",
  "sizeparam",
  "sslmode",
  "table",
  "thousands",
  "tls",
  "trim",
  "trustservercertificate",
  "type",
  "user",
  "usessl",
  "verify"
] as const;

export const CONNECTOR_TYPES = {
  "archive_repository": "repo_archive",
  "azure": "azure",
  "bigquery": "bigquery",
  "bitbucket": "bitbucket_repo",
  "bitbucket_repo": "bitbucket_repo",
  "bitbucket_repository": "bitbucket_repo",
  "click_house": "clickhouse",
  "clickhouse": "clickhouse",
  "elastic": "elasticsearch",
  "elasticsearch": "elasticsearch",
  "file": "file",
  "file_upload": "file",
  "gcs": "gcs",
  "github": "github_repo",
  "github_repo": "github_repo",
  "github_repository": "github_repo",
  "gitlab": "gitlab_repo",
  "gitlab_repo": "gitlab_repo",
  "gitlab_repository": "gitlab_repo",
  "local_repo": "local_repo",
  "local_repository": "local_repo",
  "mssql": "mssql",
  "mysql": "mysql",
  "neo4j": "neo4j",
  "oracle": "oracle",
  "postgres": "postgres",
  "postgresql": "postgres",
  "redis": "redis",
  "redis_cache": "redis",
  "redshift": "redshift",
  "repo_archive": "repo_archive",
  "rest": "rest",
  "rest_api": "rest",
  "s3": "s3",
  "snowflake": "snowflake",
  "spark": "spark",
  "sqlite": "sqlite",
  "trino": "trino"
} as const;
