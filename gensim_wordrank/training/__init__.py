"""Minimising the objective, one epoch at a time."""
