"""One collective operation on a modelled cluster: throughput against message size."""
