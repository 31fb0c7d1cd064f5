"""Calendars: Easter, ISO weeks, sums of dates, weekdays, Unix times; Julian, Hebrew and Persian dates."""
