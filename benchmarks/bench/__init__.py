"""Train and score WordRank and other trainers, store each run as a record, write docs/results from the records."""
