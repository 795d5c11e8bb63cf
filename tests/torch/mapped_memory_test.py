"""torch_npu's allocator with segments that grow, which maps memory into reserved addresses."""

import os

os.environ["PYTORCH_NPU_ALLOC_CONF"] = "expandable_segments:True"

import torch
import torch_npu  # noqa: F401

from steps import expect, main


def segments_grow():
    free, _ = torch.npu.mem_get_info()
    hosts = [torch.randn(1 << bits) for bits in range(8, 24, 3)]
    for _ in range(3):
        tensors = [host.npu() for host in hosts]
        for host, tensor in zip(hosts, tensors):
            expect(torch.equal(host, torch.empty_like(tensor).copy_(tensor).cpu()), host.shape)
        del tensors, tensor
        torch.npu.synchronize()
        torch.npu.empty_cache()
        expect(torch.npu.memory_reserved() == 0, torch.npu.memory_reserved())
    expect(torch.npu.mem_get_info()[0] == free, "empty_cache gives everything back")


if __name__ == "__main__":
    main(segments_grow)
