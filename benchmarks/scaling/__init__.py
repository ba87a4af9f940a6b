"""What `clearway scale` says of real jobs on more ranks, held against the same jobs on so many."""
