#!/usr/bin/python3
"""Stands where the other programs are, so that `clearway` finds them beside itself."""

import sys

from clearway.commands import main

sys.exit(main())
