// Written by typescript/shapes.py from service_nb/schema/reading_notes.py.

export const NOTE_KINDS = {
  "rounded": {
    "says": "{count} of its texts became another number, for no double is the same",
    "example": ", first '{first}' ({place}), read as {read}"
  },
  "spelling": {
    "says": "{count} of its texts have an exponent and are read as numbers, as if they were written in digits",
    "example": ", first '{first}' ({place}), read as {read}"
  },
  "decimals": {
    "says": "{count} of its decimals stand beside doubles and are read as doubles, which are near them and not the same",
    "example": ", first {first} ({place})"
  },
  "narrow": {
    "says": "its numbers were held in {bits} bits and are read as doubles, which decimals such as 0.1 do not equal",
    "example": ", first {first}, read as {read}"
  },
  "digits": {
    "says": "{count} of its whole numbers have more digits than a sheet keeps: each may have been another number",
    "example": ", first {first} ({place})"
  },
  "as_text": {
    "says": "read as text, because it holds {what}",
    "example": ", first '{first}'"
  },
  "categories": {
    "says": "the order of its categories is not kept: min, max, order and comparisons go by their {what}"
  },
  "alike": {
    "says": "{count} of its values look like others, and differ only in blanks, in signs that are not seen or in how letters are composed",
    "example": ", first '{first}' ({place}) beside '{other}'"
  },
  "blanks": {
    "says": "{count} of its values have blanks around them, and are others than the same without blanks",
    "example": ", first '{first}' ({place})"
  },
  "unseen": {
    "says": "{count} of its values have signs that are not seen, other blanks or letters in parts, and are others than the same without",
    "example": ", first '{first}' ({place})"
  },
  "by_place": {
    "says": "paired in the order of their rows, which different conditions or sources select"
  },
  "merged": {
    "says": "cells are merged ({count} times, first {range}): one cell of each has the value, the others are read as empty"
  },
  "total": {
    "says": "the last row ({place}) is the total of the rows above it, and is read as one of them"
  },
  "no_total": {
    "says": "the last row ({place}) says that it is a total, is not the sum of the rows above it, and is read as one of them"
  },
  "average": {
    "says": "the last row ({place}) is the average of the rows above it, and is read as one of them"
  },
  "totals": {
    "says": "rows are totals or averages of others ({count}, first {place}), and are read as rows like them"
  },
  "remark": {
    "says": "the last rows ({count}, first {place}) have a text in their first cell alone, and may be a remark; they are read as rows"
  },
  "sentinel": {
    "says": "{count} of its values are far from all others, and may stand for missing",
    "example": ": {first}, beside {least} to {most}"
  },
  "placeholder": {
    "says": "{count} of its values are on a day far from all others, which may stand for missing",
    "example": ": {first}, beside {least} to {most}"
  },
  "header": {
    "says": "the first row is read as names, which look like values of their columns"
  },
  "names_again": {
    "says": "rows ({count}, first {place}) have the names of the columns as their values, and are read as rows"
  },
  "envelope": {
    "says": "the document is one object and is read as one row, in which this is or holds a list of {count} objects",
    "example": ": {inside}"
  },
  "keyed": {
    "says": "the document is one object and is read as one row, in which {count} objects of the same fields stand by key"
  },
  "pages": {
    "says": "each row is an object around a list, and the lists have {count} objects in all: these may be the rows"
  },
  "tables": {
    "says": "a row below empty ones ({place} of the sheet) has texts like names: another table may begin there, and both are read as one"
  }
} as const;

export const NOTE_SHORTS = {
  "rounded": "numbers rounded when read",
  "spelling": "texts with an exponent read as numbers",
  "decimals": "decimals read as doubles",
  "narrow": "numbers of few bits",
  "digits": "numbers with more digits than a sheet keeps",
  "as_text": "values read as text",
  "categories": "order of categories not kept",
  "alike": "values that look alike",
  "blanks": "blanks around values",
  "unseen": "values with signs that are not seen",
  "by_place": "rows paired by their place",
  "merged": "merged cells",
  "total": "the last row is a total",
  "no_total": "the last row says that it is a total",
  "average": "the last row is an average",
  "totals": "rows that are totals of others",
  "remark": "the last row may be a remark",
  "sentinel": "a number may stand for missing",
  "placeholder": "a day may stand for missing",
  "header": "the first row is read as names",
  "names_again": "rows that repeat the names",
  "envelope": "one row around a list",
  "keyed": "one row of objects by key",
  "pages": "rows around lists",
  "tables": "a second table on the sheet"
} as const;

export const NOTE_ADVICE = {
  "rounded": "; types {column}={types} reads them exactly",
  "spelling": "; types {column}={types} keeps the texts",
  "alike": "; {option} makes them the same",
  "blanks": "; {option} removes them",
  "sentinel": "; nulls {null} reads them as missing",
  "placeholder": "; nulls {null} reads them as missing"
} as const;

export const NOTES_OF_ROWS = [
  "total",
  "no_total",
  "average",
  "totals",
  "remark",
  "header",
  "names_again",
  "envelope",
  "keyed",
  "pages",
  "tables"
] as const;

export const CHANGING = [
  "rounded",
  "spelling",
  "decimals"
] as const;

export const MOST_NOTES = 20 as const;

export const MOST_COLUMNS = 3 as const;

export const UNROUNDED = "nothing is rounded" as const;

export const AS_READ = "of the values as they were read" as const;
