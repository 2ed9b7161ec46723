"""python -m shardtop: the program with the same arguments."""

import os
import sys

from shardtop import program

os.execv(program(), [program(), *sys.argv[1:]])
