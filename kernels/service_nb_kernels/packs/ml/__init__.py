"""Activations, losses, optimiser steps, scaling laws."""
