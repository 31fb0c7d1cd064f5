// Written by typescript/shapes.py from service_nb/compute/capability_index.py.

/** Characters and words of a query, hits, words that one word may begin, names in place of an unknown one. */
export const LIMITS = {
  "query": 1000,
  "words": 16,
  "hits": 1000,
  "prefixed": 40,
  "keyed": 3,
  "matches": 5
} as const;

/** Words of a query that tell nothing. */
export const STOP = [
  "a",
  "an",
  "and",
  "are",
  "as",
  "at",
  "by",
  "calculate",
  "compute",
  "equation",
  "find",
  "for",
  "formula",
  "from",
  "how",
  "in",
  "is",
  "it",
  "its",
  "law",
  "much",
  "my",
  "of",
  "on",
  "or",
  "that",
  "the",
  "to",
  "under",
  "what",
  "when",
  "where",
  "which",
  "with"
] as const;

/** What a word counts by where it stands. */
export const WEIGHTS = {
  "function": 4.0,
  "module": 2.0,
  "keywords": 2.5,
  "summary": 1.5,
  "params": 0.6
} as const;

/** Its parameters k1 and b. */
export const BM25 = {
  "saturation": 1.2,
  "length": 0.5
} as const;

/** Of two close names: twice the letters in common, of all that both have. */
export const ALIKE = 0.7 as const;

/** What a word counts that another begins with, is spelt like, or means. */
export const SHARES = {
  "prefix": 0.6,
  "spelling": 0.5,
  "synonym": 0.7
} as const;

/** Added where the query is a name, a function's name, or means one; no score of words comes near these. */
export const BONUSES = {
  "named": 3000.0,
  "function": 2000.0,
  "foreign": 1500.0,
  "meant": 1000.0,
  "keyed": 500.0,
  "general": 100.0
} as const;

/** Fields whose function is meant where several have one name. */
export const GENERAL = [
  "elementary",
  "stats",
  "special"
] as const;

/** What is left of a score where the fewest words of the query are met, or of the function's name. */
export const LEAST = {
  "covered": 0.5,
  "fitting": 0.6
} as const;

/** The least score of the best hit, as a part of the rarity of the words, that fits well. */
export const WELL = 0.55 as const;

/** Letters of a name of another library that may have one wrong. */
export const LEAST_SLIP = 7 as const;

/** What people say, and the words of the contract that they may mean. */
export const SYNONYMS = [
  [
    "arccosine",
    [
      "acos"
    ]
  ],
  [
    "arcsine",
    [
      "asin"
    ]
  ],
  [
    "arctangent",
    [
      "atan"
    ]
  ],
  [
    "average",
    [
      "mean"
    ]
  ],
  [
    "avg",
    [
      "mean"
    ]
  ],
  [
    "bell",
    [
      "normal"
    ]
  ],
  [
    "cdf",
    [
      "distribution",
      "cumulative"
    ]
  ],
  [
    "chisquare",
    [
      "chi",
      "squared"
    ]
  ],
  [
    "combination",
    [
      "binomial"
    ]
  ],
  [
    "cop",
    [
      "coefficient",
      "performance"
    ]
  ],
  [
    "corr",
    [
      "correlation"
    ]
  ],
  [
    "cosine",
    [
      "cos"
    ]
  ],
  [
    "cov",
    [
      "covariance"
    ]
  ],
  [
    "deviation",
    [
      "std"
    ]
  ],
  [
    "exponential",
    [
      "exp"
    ]
  ],
  [
    "exponentiation",
    [
      "power"
    ]
  ],
  [
    "gcd",
    [
      "greatest",
      "common",
      "divisor"
    ]
  ],
  [
    "greatest_common_divisor",
    [
      "gcd"
    ]
  ],
  [
    "hypotenuse",
    [
      "hypot"
    ]
  ],
  [
    "integrate",
    [
      "integral"
    ]
  ],
  [
    "inverse",
    [
      "quantile"
    ]
  ],
  [
    "irr",
    [
      "internal",
      "rate",
      "return"
    ]
  ],
  [
    "lcm",
    [
      "least",
      "common",
      "multiple"
    ]
  ],
  [
    "least_common_multiple",
    [
      "lcm"
    ]
  ],
  [
    "likelihood",
    [
      "probability"
    ]
  ],
  [
    "loan",
    [
      "annuity",
      "payment"
    ]
  ],
  [
    "multiplication",
    [
      "product"
    ]
  ],
  [
    "natural_log",
    [
      "log"
    ]
  ],
  [
    "net_present_value",
    [
      "npv"
    ]
  ],
  [
    "npv",
    [
      "net",
      "present",
      "value"
    ]
  ],
  [
    "pdf",
    [
      "density"
    ]
  ],
  [
    "pearson",
    [
      "correlation"
    ]
  ],
  [
    "percentile",
    [
      "quantile"
    ]
  ],
  [
    "ppf",
    [
      "quantile"
    ]
  ],
  [
    "price",
    [
      "value"
    ]
  ],
  [
    "regression",
    [
      "least",
      "squares"
    ]
  ],
  [
    "sd",
    [
      "standard",
      "deviation",
      "std"
    ]
  ],
  [
    "sine",
    [
      "sin"
    ]
  ],
  [
    "speed",
    [
      "velocity"
    ]
  ],
  [
    "spread",
    [
      "dispersion",
      "range"
    ]
  ],
  [
    "square_root",
    [
      "sqrt"
    ]
  ],
  [
    "std",
    [
      "standard",
      "deviation"
    ]
  ],
  [
    "stdev",
    [
      "standard",
      "deviation",
      "std"
    ]
  ],
  [
    "survival",
    [
      "sf"
    ]
  ],
  [
    "tangent",
    [
      "tan"
    ]
  ],
  [
    "trapezoidal",
    [
      "trapezoid"
    ]
  ],
  [
    "ttest",
    [
      "t",
      "test"
    ]
  ],
  [
    "var",
    [
      "variance"
    ]
  ],
  [
    "velocity",
    [
      "speed"
    ]
  ],
  [
    "vol",
    [
      "volatility"
    ]
  ]
] as const;
