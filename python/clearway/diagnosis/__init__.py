"""What is wrong with a Run, what that costs, and what to do: facts -> rules -> settle -> remedies -> choose."""
