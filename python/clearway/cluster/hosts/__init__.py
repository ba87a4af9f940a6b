"""A machine before a job runs on it: what it is set to, what is wrong with that, and changing it with a way back.

sources/ -> State -> faults/ -> Check -> terminal, json     `clearway host check`; ask, answer, output_lines: of many
settings/ -> Change -> change/                              `clearway host apply`
"""
