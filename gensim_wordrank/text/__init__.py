"""Read files and sentences into word ids."""
