"""How does a whole cluster record its jobs? Slurm's plugin, where Runs are, what is said of a job."""
