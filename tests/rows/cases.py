"""All cases, kind by kind."""

from tests.rows.files import FILES
from tests.rows.numbers import NUMBERS
from tests.rows.texts import TEXTS

CASES = [*TEXTS, *NUMBERS, *FILES]
