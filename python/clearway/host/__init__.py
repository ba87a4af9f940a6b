"""A machine before a job runs on it: what it is set to, what is wrong with that, and changing it with a way back.

reader -> facts -> state -> faults -> terminal, json        `clearway host check`
settings -> changes -> journal, drop-in                     `clearway host apply`
"""
