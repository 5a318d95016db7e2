"""`memviz attach`, and the channel through which recorded processes answer, with a module in place of torch
(rehearsal/tests/torch).

usage: attach_test.py MEMVIZ SOURCE_FOLDER
"""

import unittest

# stage.py takes the words of the command line.
from attach_cases import *
from attach_missing_cases import *
from channel_cases import *

if __name__ == "__main__":
    unittest.main()
