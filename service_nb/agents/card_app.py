"""The page that shows the card of an outcome in a host of the Model Context Protocol, and verifies it there.

Everything is inlined: the page loads nothing, and asks nobody but the host, by messages.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

CARD_URI = "ui://service-nb/card.html"
_BUILT = files("service_nb") / "_panel"
_PARTS = ("card-app.js", "card-app.css")
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>service_nb card</title>
<style>
{style}
</style>
</head>
<body>
<main id="card"></main>
<script>
{script}
</script>
</body>
</html>
"""


def has_card_app() -> bool:
    """Tell whether the page was built, as it is in every release; in a checkout `typescript/build.py` builds it."""
    return all((_BUILT / part).is_file() for part in _PARTS)


@cache
def read_card_app() -> str:
    """Return the page, with its style and script in it."""
    script, style = ((_BUILT / part).read_text(encoding="utf-8") for part in _PARTS)
    # In a script element nothing but its end tag, and a comment that hides one, means anything.
    script = script.replace("</script", "<\\\\/script").replace("<!--", "\\\\x3c!--")
    return _PAGE.format(style=style.replace("</style", ""), script=script)
