"""What a recorded job would have taken if one thing had been otherwise: its own calls again, in their own order."""
