"""The capabilities themselves, a folder a field."""
