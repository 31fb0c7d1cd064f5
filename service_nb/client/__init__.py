"""The client: the only room that joins the others. `service.py` is its door, `compose.py` makes one."""
