"""Control charts, process spread and acceptance sampling."""
