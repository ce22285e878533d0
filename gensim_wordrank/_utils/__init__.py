"""Helpers that know nothing of words or training."""
