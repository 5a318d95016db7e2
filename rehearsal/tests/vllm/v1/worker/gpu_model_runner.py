import ctypes

import torch


class GPUModelRunner:
    def capture_model(self):
        torch.allocate(20 << 20)
        graphs = (ctypes.c_uint64 * 3)()
        ctypes.CDLL(None).memviz_rehearsal_graphs(graphs)
        return (20 << 20) + graphs[2]
