"""Many predictions: options of `clearway predict` varied, every value with every other, here or as a job array."""
