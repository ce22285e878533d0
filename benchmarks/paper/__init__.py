"""The experiments of the paper: which runs they are, how each is made, and what is written about them."""
