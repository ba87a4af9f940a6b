"""One collective operation on a cluster that is not there: throughput against message size."""
