"""Copies between the host and the devices."""

import io

import torch
import torch_npu  # noqa: F401

from steps import expect, main

DTYPES = (
    torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int8, torch.uint8,
    torch.int16, torch.int32, torch.int64, torch.bool, torch.complex64,
)


def there_and_back():
    for dtype in DTYPES:
        for shape in ((), (1,), (0,), (3, 0, 2), (3, 5, 7), (1 << 20,)):
            host = (torch.randn(shape) * 10).to(dtype)
            expect(torch.equal(host, host.npu().cpu()), (dtype, shape))


def page_locked():
    host = torch.randn(1000, 1000).pin_memory()
    expect(host.is_pinned(), "is_pinned")
    result = torch.empty(1000, 1000).pin_memory()
    result.copy_(host.to("npu", non_blocking=True), non_blocking=True)
    torch.npu.synchronize()
    expect(torch.equal(host, result), "page-locked copies")


def within_and_between_devices():
    host = torch.randn(100, 3)
    first = host.to("npu:0")
    expect(torch.equal(torch.empty_like(first).copy_(first).cpu(), host), "within a device")
    second = first.to("npu:1")
    expect(second.device.index == 1 and torch.equal(second.cpu(), host), "between devices")


def one_number():
    expect(torch.tensor([2.5]).npu().item() == 2.5, "item")


def saved_and_loaded():
    host = torch.randn(10)
    file = io.BytesIO()
    torch.save({"weight": host.npu()}, file)
    file.seek(0)
    loaded = torch.load(file, map_location="cpu")["weight"]
    expect(loaded.device.type == "cpu" and torch.equal(loaded, host), "load on the host")


if __name__ == "__main__":
    main(there_and_back, page_locked, within_and_between_devices, one_number, saved_and_loaded)
