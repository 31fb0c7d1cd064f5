"""The formats there are. A new one is a module beside this one, and its name in this list."""

from __future__ import annotations

from service_nb.ledger.exports import (
    card_file,
    csv_rows,
    in_toto,
    ledger_document,
    openlineage,
    prov_json,
    replay_result,
    ro_crate,
    xlsx_rows,
)
from service_nb.ledger.exports.material import Format

FORMATS: dict[str, Format] = {
    each.NAME: each
    for each in (
        ro_crate,
        prov_json,
        in_toto,
        replay_result,
        openlineage,
        csv_rows,
        xlsx_rows,
        card_file,
        ledger_document,
    )
}
