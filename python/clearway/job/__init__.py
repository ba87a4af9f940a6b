"""A launcher's command line: clearway-record put before the program, changes put into it; and running that."""
