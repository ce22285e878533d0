"""From files and sentences to word ids."""
