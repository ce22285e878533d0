"""What the counts of a text say beyond one model: which neighbours hold, why words are near, and what changed."""
