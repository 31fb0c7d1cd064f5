"""Check digits of numbers that name things, and cyclic redundancy checks of bytes."""
