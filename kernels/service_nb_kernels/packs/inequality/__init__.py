"""Segregation of groups in neighborhoods, and how unequal incomes are."""
