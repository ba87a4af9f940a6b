"""What a job would take on other numbers of ranks, from a few Runs of it: laws for each line of the ledger."""
