"""In the place of the package of that name, for programs of Jupyter that tests start.

jsonschema, which they all import, has it compile grammars of IRIs, for seconds each time. Nothing here asks for one,
and without the package jsonschema leaves that format unchecked.
"""

raise ImportError("programs that tests start do not look at IRIs")
