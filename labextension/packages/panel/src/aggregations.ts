// Written by labextension/shapes.py from service_nb/query/aggregations.

export const AGGREGATIONS = {
  "sum": {
    "accepts": [
      "number"
    ],
    "label": "sum (total)",
    "help": "The exact sum; of doubles the nearest double."
  },
  "avg": {
    "accepts": [
      "number"
    ],
    "label": "avg (mean)",
    "help": "The double nearest to the exact mean."
  },
  "count": {
    "accepts": [
      "number",
      "string",
      "date",
      "datetime",
      "boolean"
    ],
    "label": "count",
    "help": "How many rows there are, or values of a column that are not null."
  },
  "min": {
    "accepts": [
      "number",
      "string",
      "date",
      "datetime"
    ],
    "label": "min (smallest)",
    "help": "The smallest value: a number, a text, a date or a time."
  },
  "max": {
    "accepts": [
      "number",
      "string",
      "date",
      "datetime"
    ],
    "label": "max (largest)",
    "help": "The largest value: a number, a text, a date or a time."
  },
  "median": {
    "accepts": [
      "number"
    ],
    "label": "median (middle)",
    "help": "The middle value; of an even count the double nearest to the mean of the two in the middle."
  },
  "count_distinct": {
    "accepts": [
      "number",
      "string",
      "date",
      "datetime",
      "boolean"
    ],
    "label": "count distinct",
    "help": "How many different values of a column there are, nulls left out."
  },
  "stddev": {
    "accepts": [
      "number"
    ],
    "label": "stddev (standard deviation, sample n-1)",
    "help": "The double nearest to the sample standard deviation (n-1); null of fewer than two values."
  },
  "variance": {
    "accepts": [
      "number"
    ],
    "label": "variance (sample n-1)",
    "help": "The double nearest to the sample variance (n-1); null of fewer than two values."
  }
} as const;
