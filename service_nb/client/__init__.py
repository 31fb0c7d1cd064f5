"""The client: the only room that joins the others. `service.py` is its door, `factory.py` makes one."""
