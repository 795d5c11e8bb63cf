"""torch.distributed with the backend "hccl" between two processes."""

import subprocess
import sys
import tempfile

import torch
import torch_npu
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard

from steps import expect, main

RANKS = 2


def rank_of(place, rank):
    """What each process does."""
    torch.npu.set_device(rank)
    torch.distributed.init_process_group("hccl", init_method=f"file://{place}/store", rank=rank, world_size=RANKS)
    for check in (sums, moves, training):
        check(rank)
    torch.distributed.barrier(device_ids=[rank])
    torch.distributed.destroy_process_group()


# All that torch_npu takes for a reduction.
REDUCED = (torch.float32, torch.float16, torch.bfloat16, torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64,
           torch.bool)
MOVED = (*REDUCED, torch.float64)


def sums(rank):
    for dtype in REDUCED:
        for op, truth in ((torch.distributed.ReduceOp.SUM, lambda a, b: a + b),
                          (torch.distributed.ReduceOp.PRODUCT, lambda a, b: a * b),
                          (torch.distributed.ReduceOp.MAX, torch.maximum),
                          (torch.distributed.ReduceOp.MIN, torch.minimum)):
            hosts = [((torch.arange(50) * (3 + r)) % 11).to(dtype) for r in range(RANKS)]
            tensor = hosts[rank].npu()
            torch.distributed.all_reduce(tensor, op=op)
            expect(torch.equal(tensor.cpu(), truth(*hosts)), (dtype, op, tensor.cpu()))
    # torch_npu itself refuses what its cards do not reduce.
    for dtype in (torch.float64, torch.uint16, torch.complex128):
        try:
            torch.distributed.all_reduce(torch.ones(3, dtype=dtype).npu())
        except RuntimeError as refusal:
            expect("Unsupported data type" in str(refusal), refusal)
        else:
            expect(False, f"{dtype} was reduced")


def moves(rank):
    mine = torch.arange(6.0).npu() + 10 * rank
    theirs = torch.arange(6.0) + 10 * (1 - rank)
    both = [torch.empty(6).npu() for _ in range(RANKS)]
    torch.distributed.all_gather(both, mine)
    expect(torch.equal(torch.stack(both).cpu(), torch.stack([torch.arange(6.0), torch.arange(6.0) + 10])), both)
    root = mine.clone()
    torch.distributed.broadcast(root, src=1)
    expect(torch.equal(root.cpu(), torch.arange(6.0) + 10), root)
    half = torch.empty(3).npu()
    torch.distributed.reduce_scatter_tensor(half, mine)
    expect(torch.equal(half.cpu(), (2 * torch.arange(6.0) + 10)[3 * rank:3 * rank + 3]), half)
    for dtype in MOVED:
        moved = (torch.arange(6) % 3 * (1 - rank)).to(dtype).npu()
        torch.distributed.broadcast(moved, src=0)
        expect(torch.equal(moved.cpu(), (torch.arange(6) % 3).to(dtype)), (dtype, moved))
    swapped = torch.empty(6).npu()
    torch.distributed.all_to_all_single(swapped, mine)
    expected = torch.cat([torch.arange(6.0)[3 * rank:3 * rank + 3] + 10 * r for r in range(RANKS)])
    expect(torch.equal(swapped.cpu(), expected), swapped)
    got = torch.empty(6).npu()
    if rank == 0:
        torch.distributed.send(mine, 1)
        torch.distributed.recv(got, 1)
    else:
        torch.distributed.recv(got, 0)
        torch.distributed.send(mine, 0)
    expect(torch.equal(got.cpu(), theirs), got)


def replicated(network, rank):
    return torch.nn.parallel.DistributedDataParallel(network)


def sharded(network, rank):
    return FullyShardedDataParallel(network, device_id=rank, use_orig_params=True)


def sharded_by_parameter(network, rank):
    mesh = init_device_mesh("npu", (RANKS,))
    for part in (network[0], network[2], network):
        fully_shard(part, mesh=mesh)
    return network


def whole_parameters(network):
    """What the ranks have of each parameter together, on the host."""
    if isinstance(network, FullyShardedDataParallel):
        with FullyShardedDataParallel.summon_full_params(network):
            return [parameter.detach().cpu().clone() for parameter in network.parameters()]
    return [(parameter.full_tensor() if hasattr(parameter, "full_tensor") else parameter).detach().cpu()
            for parameter in network.parameters()]


def training(rank):
    """Each rank has half of the batch, and makes the steps of the whole."""
    def model():
        torch.manual_seed(0)
        return torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))

    for distributed in (replicated, sharded, sharded_by_parameter):
        whole, mine = model(), distributed(model().npu(), rank)
        steps = [torch.optim.SGD(network.parameters(), lr=0.1) for network in (whole, mine)]
        torch.manual_seed(1)
        part = slice(6 * rank, 6 * rank + 6)
        for _ in range(5):
            batch, wanted = torch.randn(12, 8), torch.randn(12, 4)
            for network, step, inputs, targets in ((whole, steps[0], batch, wanted),
                                                   (mine, steps[1], batch[part].npu(), wanted[part].npu())):
                step.zero_grad()
                (network(inputs) - targets).square().mean().backward()
                step.step()
        for one, other in zip(whole.parameters(), whole_parameters(mine)):
            difference = (one.detach() - other.view_as(one)).abs().max()
            expect(difference <= 1e-5, (distributed.__name__, difference))


def processes():
    with tempfile.TemporaryDirectory() as place:
        ranks = [subprocess.Popen([sys.executable, "-W", "error", __file__, place, str(rank)], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True) for rank in range(RANKS)]
        outputs = [process.communicate(timeout=280)[0] for process in ranks]
        for rank, process in enumerate(ranks):
            expect(process.returncode == 0, f"rank {rank} ended with {process.returncode}:\n{outputs[rank]}")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        sys.exit(rank_of(sys.argv[1], int(sys.argv[2])))
    main(processes)
