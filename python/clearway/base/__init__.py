"""What every room may use and none of them owns: errors, units, figures as people read them, output. Knows no room."""
