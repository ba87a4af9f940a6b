"""The peer: Scalasca's wait states for the same drawn faults, beside what Clearway says of them."""
