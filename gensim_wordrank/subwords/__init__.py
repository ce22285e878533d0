"""Vectors from character n-grams: for unknown words, and to improve those of rare words."""
