"""The objective of the paper: losses, ranks and their weighted sum."""
