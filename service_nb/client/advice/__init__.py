"""Advice: what may be said to somebody who was not understood. `offers.py` is the entrance.

A line that is offered is one click from a recorded result, so it means what was typed, or is not offered:
`question.py` and `call.py` read a line in other words and account for each of them, `trial.py` tries what they read,
`starters.py` chooses first questions, and `reading.py` writes the line that reads a file anew.
"""
