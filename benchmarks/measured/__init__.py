"""What every measured figure carries: when, where and of which commit it is, and how far equal runs were apart."""
