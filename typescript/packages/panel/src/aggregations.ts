// Written by typescript/shapes.py from service_nb/query/aggregations.

export const AGGREGATIONS = {
  "sum": {
    "accepts": [
      "number"
    ],
    "held": "exact",
    "label": "sum (total)",
    "help": "The exact sum; of doubles the nearest double.",
    "takes_percent": false
  },
  "avg": {
    "accepts": [
      "number"
    ],
    "held": "float64",
    "label": "avg (mean)",
    "help": "The double nearest to the exact mean.",
    "takes_percent": false
  },
  "count": {
    "accepts": [
      "number",
      "string",
      "date",
      "datetime",
      "boolean"
    ],
    "held": "int64",
    "label": "count",
    "help": "How many rows there are, or values of a column that are not null.",
    "takes_percent": false
  },
  "min": {
    "accepts": [
      "number",
      "string",
      "date",
      "datetime"
    ],
    "held": "as column",
    "label": "min (smallest)",
    "help": "The smallest value: a number, a text, a date or a time.",
    "takes_percent": false
  },
  "max": {
    "accepts": [
      "number",
      "string",
      "date",
      "datetime"
    ],
    "held": "as column",
    "label": "max (largest)",
    "help": "The largest value: a number, a text, a date or a time.",
    "takes_percent": false
  },
  "median": {
    "accepts": [
      "number"
    ],
    "held": "float64",
    "label": "median (middle)",
    "help": "The middle value; of an even count the double nearest to the mean of the two in the middle.",
    "takes_percent": false
  },
  "count_distinct": {
    "accepts": [
      "number",
      "string",
      "date",
      "datetime",
      "boolean"
    ],
    "held": "int64",
    "label": "count distinct",
    "help": "How many different values of a column there are, nulls left out.",
    "takes_percent": false
  },
  "stddev": {
    "accepts": [
      "number"
    ],
    "held": "float64",
    "label": "stddev (standard deviation, sample n-1)",
    "help": "The double nearest to the sample standard deviation (n-1); null of fewer than two values.",
    "takes_percent": false
  },
  "variance": {
    "accepts": [
      "number"
    ],
    "held": "float64",
    "label": "variance (sample n-1)",
    "help": "The double nearest to the sample variance (n-1); null of fewer than two values.",
    "takes_percent": false
  },
  "percentile": {
    "accepts": [
      "number"
    ],
    "held": "float64",
    "label": "percentile (of a percent)",
    "help": "The value below which a percent of the values lie, between two values linearly; percent 50 is the median.",
    "takes_percent": true
  }
} as const;
