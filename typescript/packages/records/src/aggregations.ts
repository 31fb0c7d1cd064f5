// Written by typescript/shapes.py from service_nb/query/aggregations.

export const AGGREGATIONS = {
  "sum": {
    "accepts": [
      "number"
    ],
    "held": "exact",
    "noun": "Sum of",
    "step": "Add the values of {of} exactly and round once; nulls are left out",
    "rows_step": null,
    "takes_percent": false
  },
  "avg": {
    "accepts": [
      "number"
    ],
    "held": "float64",
    "noun": "Average of",
    "step": "Divide the exact sum of {of} by its count of values, round once; nulls are left out",
    "rows_step": null,
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
    "noun": "Count of",
    "step": "Count the values of {of} that are not null",
    "rows_step": "Count the rows",
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
    "noun": "Smallest",
    "step": "Take the smallest value of {of}; nulls are left out",
    "rows_step": null,
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
    "noun": "Largest",
    "step": "Take the largest value of {of}; nulls are left out",
    "rows_step": null,
    "takes_percent": false
  },
  "median": {
    "accepts": [
      "number"
    ],
    "held": "float64",
    "noun": "Median of",
    "step": "Take the middle value of {of}, of an even count the mean of both, rounded once; nulls are left out",
    "rows_step": null,
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
    "noun": "Count of distinct",
    "step": "Count the different values of {of} that are not null",
    "rows_step": null,
    "takes_percent": false
  },
  "stddev": {
    "accepts": [
      "number"
    ],
    "held": "float64",
    "noun": "Standard deviation (sample, n-1) of",
    "step": "Take the root of the exact sample variance (n-1) of {of}, round once; nulls are left out",
    "rows_step": null,
    "takes_percent": false
  },
  "variance": {
    "accepts": [
      "number"
    ],
    "held": "float64",
    "noun": "Variance (sample, n-1) of",
    "step": "Divide the exact squares of {of} around their mean by n-1, round once; nulls are left out",
    "rows_step": null,
    "takes_percent": false
  },
  "percentile": {
    "accepts": [
      "number"
    ],
    "held": "float64",
    "noun": "Percentile {percent} of",
    "step": "Take percentile {percent} of {of}, between two values linearly, rounded once; nulls are left out",
    "rows_step": null,
    "takes_percent": true
  }
} as const;
