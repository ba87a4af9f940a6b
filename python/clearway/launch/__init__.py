"""Putting clearway-record before the program in a launcher's command line, and running that."""
