"""Differential pressure meters: discharge, expansibility and permanent pressure loss."""
