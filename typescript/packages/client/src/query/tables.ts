// Written by typescript/shapes.py from service_nb/query.

export const PLAN_DOMAIN = "service:plan:v1" as const;

export const REFUSAL_DOMAIN = "service:refusal:v2" as const;

export const PLAN_VERSION = 1;

export const KEYWORDS = [
  "and",
  "asc",
  "between",
  "by",
  "contains",
  "desc",
  "during",
  "false",
  "from",
  "in",
  "is",
  "limit",
  "not",
  "null",
  "or",
  "order",
  "starts_with",
  "true",
  "where"
] as const;

export const PERIODS = [
  "this_month",
  "last_month",
  "this_quarter",
  "last_quarter",
  "this_year",
  "last_year"
] as const;

export const DATE_UNITS = [
  "day",
  "week",
  "month",
  "quarter",
  "year"
] as const;

export const JOINERS = [
  "all",
  "any"
] as const;

export const SPEC_KEYS = [
  "metric",
  "aggregation",
  "percent",
  "measures",
  "group_by",
  "filter",
  "having",
  "order_by",
  "order",
  "limit",
  "source_name"
] as const;

export const MEASURE_KEYS = [
  "aggregation",
  "metric",
  "percent"
] as const;

export const GROUP_KEYS = [
  "column",
  "unit",
  "width",
  "zone"
] as const;

export const FILTER_KEYS = [
  "conditions",
  "time_filter"
] as const;

export const HAVING_KEYS = [
  "conditions"
] as const;

export const CONDITION_KEYS = [
  "column",
  "op",
  "value",
  "values"
] as const;

export const TIME_FILTER_KEYS = [
  "column",
  "period"
] as const;

export const PERCENTS = [
  50,
  90,
  95,
  99
] as const;

export const CONFIDENCE = {
  "exact_spec": 1,
  "alias": 1,
  "normalized_name": 0.9
} as const;

export const CHECKS = [
  "well_formed",
  "allowed",
  "registered",
  "schema_revision",
  "plan_hash",
  "content"
] as const;

export const LIMITS = {
  "name": 1024,
  "text": 100000,
  "groupBy": 16,
  "zone": 100,
  "measures": 16,
  "widthDigits": 15,
  "percentPlaces": 4,
  "conditions": 100,
  "groups": 8,
  "values": 10000,
  "rows": 9007199254740991,
  "digits": 400,
  "lineChars": 10000,
  "tried": 100,
  "offered": 20,
  "refusals": 5,
  "searched": 10,
  "matched": 100,
  "similar": 10,
  "compared": 100,
  "named": 12,
  "noted": 10,
  "noteChars": 200,
  "nesting": 20
} as const;

export const SQL_OPENINGS = [
  "alter",
  "attach",
  "begin",
  "call",
  "commit",
  "copy",
  "create",
  "delete",
  "detach",
  "drop",
  "exec",
  "execute",
  "export",
  "grant",
  "import",
  "insert",
  "install",
  "load",
  "merge",
  "pragma",
  "replace",
  "revoke",
  "rollback",
  "select",
  "set",
  "table",
  "truncate",
  "update",
  "vacuum",
  "values",
  "with"
] as const;

export const EXPECTED_WORDS = [
  [
    "NAME",
    "name"
  ],
  [
    "QUOTED_NAME",
    "quoted_name"
  ],
  [
    "STRING",
    "text in quotes"
  ],
  [
    "INT",
    "a number"
  ],
  [
    "DECIMAL",
    "a number"
  ],
  [
    "DATE",
    "a date"
  ],
  [
    "TRUE",
    "true"
  ],
  [
    "FALSE",
    "false"
  ],
  [
    "COMPARISON",
    "a comparison such as ="
  ],
  [
    "IN",
    "in"
  ],
  [
    "NOT",
    "not"
  ],
  [
    "BETWEEN",
    "between"
  ],
  [
    "IS",
    "is"
  ],
  [
    "NULL",
    "null"
  ],
  [
    "CONTAINS",
    "contains"
  ],
  [
    "STARTS_WITH",
    "starts with"
  ],
  [
    "DURING",
    "during"
  ],
  [
    "OPEN",
    "("
  ],
  [
    "COMMA",
    "a comma"
  ],
  [
    "CLOSE",
    ")"
  ],
  [
    "AND",
    "and"
  ],
  [
    "OR",
    "or"
  ],
  [
    "BY",
    "by"
  ],
  [
    "FROM",
    "from"
  ],
  [
    "WHERE",
    "where"
  ],
  [
    "HAVING",
    "having"
  ],
  [
    "ORDER",
    "order"
  ],
  [
    "ASC",
    "asc"
  ],
  [
    "DESC",
    "desc"
  ],
  [
    "LIMIT",
    "limit"
  ],
  [
    "$END",
    "the end of the line"
  ],
  [
    "AGGREGATION",
    "an aggregation"
  ]
] as const;

export const NAMED_BEHIND = {
  "FROM": "a source",
  "DURING": "a period such as last_month",
  "IN": "a time zone such as Europe/Berlin"
} as const;

export const CHARACTER_HINTS = {
  ";": "Write one question, without a `;` at its end.",
  "*": "`count` alone counts rows.",
  "--": "An ask line has no comments.",
  "%": "`contains` and `starts with` search for the text as written; they take no wildcards.",
  "+": "Write numbers as 12 or -3.5e6, dates as 2013-01-31, and everything else in quotes.",
  "-": "Write numbers as 12 or -3.5e6, dates as 2013-01-31, and everything else in quotes.",
  ".": "Write numbers as 12 or -3.5e6, dates as 2013-01-31, and everything else in quotes.",
  "0": "Write numbers as 12 or -3.5e6, dates as 2013-01-31, and everything else in quotes.",
  "1": "Write numbers as 12 or -3.5e6, dates as 2013-01-31, and everything else in quotes.",
  "2": "Write numbers as 12 or -3.5e6, dates as 2013-01-31, and everything else in quotes.",
  "3": "Write numbers as 12 or -3.5e6, dates as 2013-01-31, and everything else in quotes.",
  "4": "Write numbers as 12 or -3.5e6, dates as 2013-01-31, and everything else in quotes.",
  "5": "Write numbers as 12 or -3.5e6, dates as 2013-01-31, and everything else in quotes.",
  "6": "Write numbers as 12 or -3.5e6, dates as 2013-01-31, and everything else in quotes.",
  "7": "Write numbers as 12 or -3.5e6, dates as 2013-01-31, and everything else in quotes.",
  "8": "Write numbers as 12 or -3.5e6, dates as 2013-01-31, and everything else in quotes.",
  "9": "Write numbers as 12 or -3.5e6, dates as 2013-01-31, and everything else in quotes."
} as const;

export const HINTS = [
  [
    "like ilike",
    "",
    "",
    "",
    "Write `starts with 'A'` for like 'A%', and `contains 'b'` for like '%b%'; there is no other pattern."
  ],
  [
    "",
    "VARIABLE",
    "",
    "",
    "A variable stands for a value of a condition: `where year = $year`."
  ],
  [
    "",
    "NAME",
    "",
    "",
    "Names with spaces need backticks: `{spaced}`."
  ],
  [
    "",
    "INT DECIMAL",
    "",
    "percentile quantile",
    "Write the percent between `percentile` and `of`: `percentile 90 of revenue`."
  ],
  [
    "",
    "NAME QUOTED_NAME STRING INT DECIMAL",
    "IS NOT",
    "",
    "Compare with `=` or `!=`, text in quotes: = '{bare}'."
  ],
  [
    "",
    "NULL",
    "COMPARISON",
    "",
    "Write `is null` or `is not null`."
  ],
  [
    "",
    "NAME QUOTED_NAME",
    "COMPARISON OPEN BETWEEN",
    "",
    "Write text in quotes: '{word}'."
  ],
  [
    "",
    "OPEN",
    "",
    "",
    "Write the aggregation and its column side by side: `sum revenue`."
  ],
  [
    "",
    "BY FROM WHERE HAVING ORDER LIMIT",
    "BY FROM WHERE",
    "",
    "Write a column named {word} in backticks."
  ],
  [
    "",
    "BY FROM WHERE HAVING ORDER LIMIT",
    "",
    "",
    "Write the clauses in this order: by, from, where, having, order, limit."
  ]
] as const;

export const SYNONYMS = {
  "total": "sum",
  "add": "sum",
  "average": "avg",
  "mean": "avg",
  "number": "count",
  "rows": "count",
  "minimum": "min",
  "smallest": "min",
  "lowest": "min",
  "maximum": "max",
  "largest": "max",
  "highest": "max",
  "middle": "median",
  "distinct": "count_distinct",
  "unique": "count_distinct",
  "nunique": "count_distinct",
  "std": "stddev",
  "stdev": "stddev",
  "stddev_samp": "stddev",
  "sd": "stddev",
  "standard_deviation": "stddev",
  "var": "variance",
  "var_samp": "variance",
  "quantile": "percentile",
  "percentile_cont": "percentile"
} as const;

export const ORDER_RULE = "text that reads as numbers or dates is not compared by its letters" as const;

export const OPTION_LABELS = {
  "decimal": "decimal",
  "thousands": "thousands",
  "date_format": "the date format",
  "currency": "currency"
} as const;

export const LETTERS_NOTE = "text is compared letter by letter" as const;

export const TEXT_CAUSES = {
  "number_form": [
    "its numbers are not written as programs write them",
    "Say how with decimal or thousands."
  ],
  "date_form": [
    "its dates are not written as programs write them",
    "Say how with a date format."
  ],
  "percent": [
    "its numbers are percents",
    ""
  ],
  "currency": [
    "its numbers have a currency sign",
    "Say how they are written with decimal, thousands or currency."
  ],
  "mixed": [
    "other texts stand among its values",
    "Correct them, or name in nulls what stands for a missing value."
  ],
  "leading_zeros": [
    "some of its numbers have leading zeros",
    "Declare a type of numbers if they are none of codes."
  ],
  "blanks": [
    "blanks stand around its values",
    ""
  ],
  "calendar": [
    "one of its dates is no day of the calendar",
    "Correct it."
  ],
  "digits": [
    "its numbers have more digits than a type holds",
    ""
  ]
} as const;

export const TEXT_PATTERNS = {
  "dates": "^[\t\n\u000b\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*(?:(?:\\p{L}{2,10}\\.?,? )?(?:\\d{4}[\\-/.](?:0?[1-9]|1[0-2])[\\-/.](?:0?[1-9]|[12]\\d|3[01])|\\d{4}[\\-/](?:0?[1-9]|1[0-2])|(?:0?[1-9]|[12]\\d|3[01])[\\-/.] ?(?:0?[1-9]|[12]\\d|3[01])[\\-/.] ?(?:\\d{4}|\\d{2})|(?:0?[1-9]|[12]\\d|3[01])(?:st|nd|rd|th|\\.)?[ \\-]?\\p{L}{3,10}\\.?,?[ \\-]?\\d{4}|(?:0?[1-9]|[12]\\d|3[01])[ \\-](?:[Jj][Aa][Nn](?:[Uu][Aa][Rr][Yy])?|[Ff][Ee][Bb](?:[Rr][Uu][Aa][Rr][Yy])?|[Mm][Aa][Rr](?:[Cc][Hh])?|[Aa][Pp][Rr](?:[Ii][Ll])?|[Jj][Uu][Nn](?:[Ee])?|[Jj][Uu][Ll](?:[Yy])?|[Aa][Uu][Gg](?:[Uu][Ss][Tt])?|[Ss][Ee][Pp](?:[Tt][Ee][Mm][Bb][Ee][Rr])?|[Oo][Cc][Tt](?:[Oo][Bb][Ee][Rr])?|[Nn][Oo][Vv](?:[Ee][Mm][Bb][Ee][Rr])?|[Dd][Ee][Cc](?:[Ee][Mm][Bb][Ee][Rr])?|[Mm][Aa][Yy]|[Ss][Ee][Pp][Tt])\\.?[ \\-]\\d{2}|(?:[Jj][Aa][Nn](?:[Uu][Aa][Rr][Yy])?|[Ff][Ee][Bb](?:[Rr][Uu][Aa][Rr][Yy])?|[Mm][Aa][Rr](?:[Cc][Hh])?|[Aa][Pp][Rr](?:[Ii][Ll])?|[Jj][Uu][Nn](?:[Ee])?|[Jj][Uu][Ll](?:[Yy])?|[Aa][Uu][Gg](?:[Uu][Ss][Tt])?|[Ss][Ee][Pp](?:[Tt][Ee][Mm][Bb][Ee][Rr])?|[Oo][Cc][Tt](?:[Oo][Bb][Ee][Rr])?|[Nn][Oo][Vv](?:[Ee][Mm][Bb][Ee][Rr])?|[Dd][Ee][Cc](?:[Ee][Mm][Bb][Ee][Rr])?|[Mm][Aa][Yy]|[Ss][Ee][Pp][Tt])\\.? ?(?:0?[1-9]|[12]\\d|3[01])(?:st|nd|rd|th)?,? \\d{4}|(?:[Jj][Aa][Nn](?:[Uu][Aa][Rr][Yy])?|[Ff][Ee][Bb](?:[Rr][Uu][Aa][Rr][Yy])?|[Mm][Aa][Rr](?:[Cc][Hh])?|[Aa][Pp][Rr](?:[Ii][Ll])?|[Jj][Uu][Nn](?:[Ee])?|[Jj][Uu][Ll](?:[Yy])?|[Aa][Uu][Gg](?:[Uu][Ss][Tt])?|[Ss][Ee][Pp](?:[Tt][Ee][Mm][Bb][Ee][Rr])?|[Oo][Cc][Tt](?:[Oo][Bb][Ee][Rr])?|[Nn][Oo][Vv](?:[Ee][Mm][Bb][Ee][Rr])?|[Dd][Ee][Cc](?:[Ee][Mm][Bb][Ee][Rr])?|[Mm][Aa][Yy]|[Ss][Ee][Pp][Tt])\\.?(?:-\\d{2}|[\\- ]\\d{4}|, \\d{4})|\\d{4}[ \\-](?:[Jj][Aa][Nn](?:[Uu][Aa][Rr][Yy])?|[Ff][Ee][Bb](?:[Rr][Uu][Aa][Rr][Yy])?|[Mm][Aa][Rr](?:[Cc][Hh])?|[Aa][Pp][Rr](?:[Ii][Ll])?|[Jj][Uu][Nn](?:[Ee])?|[Jj][Uu][Ll](?:[Yy])?|[Aa][Uu][Gg](?:[Uu][Ss][Tt])?|[Ss][Ee][Pp](?:[Tt][Ee][Mm][Bb][Ee][Rr])?|[Oo][Cc][Tt](?:[Oo][Bb][Ee][Rr])?|[Nn][Oo][Vv](?:[Ee][Mm][Bb][Ee][Rr])?|[Dd][Ee][Cc](?:[Ee][Mm][Bb][Ee][Rr])?|[Mm][Aa][Yy]|[Ss][Ee][Pp][Tt])\\.?[ \\-](?:0?[1-9]|[12]\\d|3[01]))(?:(?:T|,? )(?:(?:-?\\d+ days?, )?\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d+)?)?(?: ?[AaPp]\\.?[Mm]\\.?)?|\\d{1,2} ?[AaPp]\\.?[Mm]\\.?)(?: ?(?:Z|UTC|GMT|[+\\-]\\d{2}:?\\d{2}))?)?|(?:0?[1-9]|1[0-2])[/.]\\d{4}|[1-4]Q\\d{2}|\\d{4}\u5e74(?:0?[1-9]|1[0-2])\u6708(?:(?:0?[1-9]|[12]\\d|3[01])\u65e5)?|\\d{4}[\\- ]?Q[1-4]|Q[1-4][\\- /]?\\d{4}|\\d{4}-?W\\d{2})[\t\n\u000b\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$",
  "times": "^[\t\n\u000b\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*(?:(?:-?\\d+ days?, )?\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d+)?)?(?: ?[AaPp]\\.?[Mm]\\.?)?|\\d{1,2} ?[AaPp]\\.?[Mm]\\.?)(?: ?(?:Z|UTC|GMT|[+\\-]\\d{2}:?\\d{2}))?[\t\n\u000b\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$",
  "numbers": "^[\t\n\u000b\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*(?:[+\\-\u2212]?(?:(?:[$\u00a2-\u00a5\u20a0-\u20cf]|CHF|EUR|USD|GBP|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|US\\$|R\\$|Fr\\.|kr\\.?|z\u0142|Rs\\.?)[ \u00a0\u2007\u2009\u202f]?)?[+\\-\u2212]?(?:(?:\\d{1,3}(?:[.,'\u2019_ \u00a0\u2007\u2009\u202f]\\d{3})+|\\d{1,2}(?:,\\d{2})+,\\d{3}|\\d+)(?:[.,]\\d*)?|[.,]\\d+)(?:[eE][+\\-]?\\d+)?[ \u00a0\u2007\u2009\u202f]?(?:[%\u2030]|(?:[$\u00a2-\u00a5\u20a0-\u20cf]|CHF|EUR|USD|GBP|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|US\\$|R\\$|Fr\\.|kr\\.?|z\u0142|Rs\\.?))?-?|\\((?:(?:[$\u00a2-\u00a5\u20a0-\u20cf]|CHF|EUR|USD|GBP|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|US\\$|R\\$|Fr\\.|kr\\.?|z\u0142|Rs\\.?)[ \u00a0\u2007\u2009\u202f]?)?[+\\-\u2212]?(?:(?:\\d{1,3}(?:[.,'\u2019_ \u00a0\u2007\u2009\u202f]\\d{3})+|\\d{1,2}(?:,\\d{2})+,\\d{3}|\\d+)(?:[.,]\\d*)?|[.,]\\d+)(?:[eE][+\\-]?\\d+)?[ \u00a0\u2007\u2009\u202f]?(?:[%\u2030]|(?:[$\u00a2-\u00a5\u20a0-\u20cf]|CHF|EUR|USD|GBP|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|US\\$|R\\$|Fr\\.|kr\\.?|z\u0142|Rs\\.?))?\\)|[<>~\u2248\u2264\u2265]? ?[+\\-\u2212]?(?:(?:\\d{1,3}(?:[.,'\u2019_ \u00a0\u2007\u2009\u202f]\\d{3})+|\\d{1,2}(?:,\\d{2})+,\\d{3}|\\d+)(?:[.,]\\d*)?|[.,]\\d+)(?:[eE][+\\-]?\\d+)?[ \u00a0\u2007\u2009\u202f]?(?:kg|g|mg|lbs?|oz|km|m|cm|mm|mi|ft|in|l|ml|kWh|MWh|kW|MW|Hz|[kKMGT]i?[Bb]|[kKM]|mio|Mio\\.?|ha|ppm|px|pt|h|min|sec|ms|days?|hours?|years?|yrs?|\u00b0 ?[CF]?|km/h|m/s|mph|\u00b5[gm]|m[\u00b2\u00b3]|km\u00b2)|[<>~\u2248\u2264\u2265] ?[+\\-\u2212]?(?:(?:\\d{1,3}(?:[.,'\u2019_ \u00a0\u2007\u2009\u202f]\\d{3})+|\\d{1,2}(?:,\\d{2})+,\\d{3}|\\d+)(?:[.,]\\d*)?|[.,]\\d+)(?:[eE][+\\-]?\\d+)?|\\d+ ?(?:d|h|hrs?) ?\\d+ ?(?:h|m|min)(?: ?\\d+ ?s)?|[(\\[][+\\-\u2212]?[\\d.]+, ?[+\\-\u2212]?[\\d.]+[)\\]]|\\d{1,3}-\\d{1,3}|\\d+(?:\\.\\d+){2,3}|\\d+(?:st|nd|rd|th)|\\d+ ?/ ?\\d+|[\uff10-\uff19]+|[\u0660-\u0669]+)[\t\n\u000b\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$"
} as const;

export const BLANK_PATTERN = "^[\t\n\u000b\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$" as const;

export const ORDERED_SHAPES = "^(?:0+|0000[\\-/.]00(?:[\\-/.]00)?(?:[T ]00:00(?::00(?:\\.0+)?)?Z?)?|00:00(?::00)?|0000-?Q0|0000-?W00)$" as const;

export const OPERATORS = {
  "eq": {
    "takes": "one",
    "ask": [
      "=",
      "=="
    ],
    "words": "=",
    "opposite": "ne",
    "isOrdered": false
  },
  "ne": {
    "takes": "one",
    "ask": [
      "!=",
      "<>"
    ],
    "words": "\u2260",
    "opposite": "eq",
    "isOrdered": false
  },
  "gt": {
    "takes": "one",
    "ask": [
      ">"
    ],
    "words": ">",
    "opposite": "lte",
    "isOrdered": true
  },
  "gte": {
    "takes": "one",
    "ask": [
      ">="
    ],
    "words": "\u2265",
    "opposite": "lt",
    "isOrdered": true
  },
  "lt": {
    "takes": "one",
    "ask": [
      "<"
    ],
    "words": "<",
    "opposite": "gte",
    "isOrdered": true
  },
  "lte": {
    "takes": "one",
    "ask": [
      "<="
    ],
    "words": "\u2264",
    "opposite": "gt",
    "isOrdered": true
  },
  "contains": {
    "takes": "text",
    "ask": [
      "contains"
    ],
    "words": "contains",
    "opposite": null,
    "isOrdered": false
  },
  "starts_with": {
    "takes": "text",
    "ask": [
      "starts with"
    ],
    "words": "starts with",
    "opposite": null,
    "isOrdered": false
  },
  "in": {
    "takes": "list",
    "ask": [
      "in"
    ],
    "words": "is one of",
    "opposite": "not_in",
    "isOrdered": false
  },
  "not_in": {
    "takes": "list",
    "ask": [
      "not in"
    ],
    "words": "is none of",
    "opposite": "in",
    "isOrdered": false
  },
  "between": {
    "takes": "two",
    "ask": [
      "between"
    ],
    "words": "is between",
    "opposite": null,
    "isOrdered": true
  },
  "is_null": {
    "takes": "none",
    "ask": [
      "is null"
    ],
    "words": "is null",
    "opposite": "is_not_null",
    "isOrdered": false
  },
  "is_not_null": {
    "takes": "none",
    "ask": [
      "is not null"
    ],
    "words": "is not null",
    "opposite": "is_null",
    "isOrdered": false
  }
} as const;

export const AGGREGATIONS = {
  "sum": {
    "accepts": [
      "number"
    ],
    "needs": "a number column",
    "held": "exact",
    "noun": "Sum of",
    "step": "Add the values of {of} exactly and round once; nulls are left out",
    "rowsStep": null,
    "takesPercent": false,
    "isOrdered": false
  },
  "avg": {
    "accepts": [
      "number"
    ],
    "needs": "a number column",
    "held": "float64",
    "noun": "Average of",
    "step": "Divide the exact sum of {of} by its count of values, round once; nulls are left out",
    "rowsStep": null,
    "takesPercent": false,
    "isOrdered": false
  },
  "count": {
    "accepts": [
      "number",
      "string",
      "date",
      "datetime",
      "boolean"
    ],
    "needs": "a column",
    "held": "int64",
    "noun": "Count of",
    "step": "Count the values of {of} that are not null",
    "rowsStep": "Count the rows",
    "takesPercent": false,
    "isOrdered": false
  },
  "min": {
    "accepts": [
      "number",
      "string",
      "date",
      "datetime"
    ],
    "needs": "an ordered column",
    "held": "as column",
    "noun": "Smallest",
    "step": "Take the smallest value of {of}; nulls are left out",
    "rowsStep": null,
    "takesPercent": false,
    "isOrdered": true
  },
  "max": {
    "accepts": [
      "number",
      "string",
      "date",
      "datetime"
    ],
    "needs": "an ordered column",
    "held": "as column",
    "noun": "Largest",
    "step": "Take the largest value of {of}; nulls are left out",
    "rowsStep": null,
    "takesPercent": false,
    "isOrdered": true
  },
  "median": {
    "accepts": [
      "number"
    ],
    "needs": "a number column",
    "held": "float64",
    "noun": "Median of",
    "step": "Take the middle value of {of}, of an even count the mean of both, rounded once; nulls are left out",
    "rowsStep": null,
    "takesPercent": false,
    "isOrdered": true
  },
  "count_distinct": {
    "accepts": [
      "number",
      "string",
      "date",
      "datetime",
      "boolean"
    ],
    "needs": "a column",
    "held": "int64",
    "noun": "Count of distinct",
    "step": "Count the different values of {of} that are not null",
    "rowsStep": null,
    "takesPercent": false,
    "isOrdered": false
  },
  "stddev": {
    "accepts": [
      "number"
    ],
    "needs": "a number column",
    "held": "float64",
    "noun": "Standard deviation (sample, n-1) of",
    "step": "Take the root of the exact sample variance (n-1) of {of}, round once; nulls are left out",
    "rowsStep": null,
    "takesPercent": false,
    "isOrdered": false
  },
  "variance": {
    "accepts": [
      "number"
    ],
    "needs": "a number column",
    "held": "float64",
    "noun": "Variance (sample, n-1) of",
    "step": "Divide the exact squares of {of} around their mean by n-1, round once; nulls are left out",
    "rowsStep": null,
    "takesPercent": false,
    "isOrdered": false
  },
  "percentile": {
    "accepts": [
      "number"
    ],
    "needs": "a number column",
    "held": "float64",
    "noun": "Percentile {percent} of",
    "step": "Take percentile {percent} of {of}, between two values linearly, rounded once; nulls are left out",
    "rowsStep": null,
    "takesPercent": true,
    "isOrdered": true
  }
} as const;
