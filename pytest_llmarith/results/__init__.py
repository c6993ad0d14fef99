"""What is made of records: statistics, comparisons of runs, merged runs."""
