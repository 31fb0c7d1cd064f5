"""The page that shows the card of an outcome in a host of the Model Context Protocol, and verifies it there.

Everything is inlined: the page loads nothing, and asks nobody but the host, by messages.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

CARD_URI = "ui://service-nb/card.html"
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


@cache
def read_card_app() -> str:
    """Return the page, with its style and script in it."""
    built = files("service_nb") / "_panel"
    script = (built / "card-app.js").read_text(encoding="utf-8")
    style = (built / "card-app.css").read_text(encoding="utf-8")
    # In a script element nothing but its end tag, and a comment that hides one, means anything.
    script = script.replace("</script", "<\\\\/script").replace("<!--", "\\\\x3c!--")
    return _PAGE.format(style=style.replace("</style", ""), script=script)
