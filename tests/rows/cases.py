"""All cases, kind by kind."""

from tests.rows.computations import COMPUTATIONS
from tests.rows.files import FILES
from tests.rows.frames import FRAMES
from tests.rows.names import NAMES
from tests.rows.numbers import NUMBERS
from tests.rows.texts import TEXTS
from tests.rows.workbooks import WORKBOOKS
from tests.rows.zones import ZONED

CASES = [*TEXTS, *NUMBERS, *FILES, *FRAMES, *ZONED, *WORKBOOKS, *NAMES, *COMPUTATIONS]
