"""`memviz run`, MEMVIZ_RECORD and memviz_torch.record(), with a module in place of torch (rehearsal/tests/torch).

usage: record_test.py MEMVIZ SOURCE_FOLDER
"""

import unittest

# stage.py takes the words of the command line.
from callback_cases import *
from device_cases import *
from hook_folder_cases import *
from keepers_cases import *
from keepers_hostile_cases import *
from keepers_nodes_cases import *
from keepers_pending_cases import *
from keepers_places_cases import *
from keepers_reach_cases import *
from keepers_storages_cases import *
from neighbour_cases import *
from oom_cases import *
from record_cases import *
from record_end_cases import *
from run_cases import *

if __name__ == "__main__":
    unittest.main()
