"""The options of each launcher, a file each."""
