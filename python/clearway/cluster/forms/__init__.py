"""A Placement in the words of each launcher: files that it reads, and what its command line must say.

Each module of this folder with a `form` is one launcher's.
"""
