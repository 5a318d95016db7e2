"""DeepSpeed's ZeRO 3 compares lists of numbers with those of rank 0, which come through NCCL. The made-up NCCL has no
values, so each rank keeps its own, as if they were equal; the tensors are made and sent as DeepSpeed does.
"""


def install(act_at_imports):
    act_at_imports([("deepspeed.runtime.zero.utils", _keep_own_numbers)])


def _keep_own_numbers(utils):
    own_list, own_check = utils.get_lst_from_rank0, utils.assert_lst_len_same_as_other_ranks

    def get_lst_from_rank0(lst):
        own_list(lst)
        return list(lst)

    def assert_lst_len_same_as_other_ranks(lst):
        try:
            own_check(lst)
        except RuntimeError as error:
            if "disagreement" not in str(error):
                raise

    utils.get_lst_from_rank0 = get_lst_from_rank0
    utils.assert_lst_len_same_as_other_ranks = assert_lst_len_same_as_other_ranks
