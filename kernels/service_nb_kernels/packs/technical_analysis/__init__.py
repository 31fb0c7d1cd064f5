"""Technical analysis of prices and volumes: averages, momentum, ranges."""
