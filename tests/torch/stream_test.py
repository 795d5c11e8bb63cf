"""Streams and events."""

import torch
import torch_npu  # noqa: F401

from steps import expect, main


def work_on_a_stream():
    stream = torch.npu.Stream()
    host = torch.randn(256, 256).pin_memory()
    with torch.npu.stream(stream):
        expect(torch.npu.current_stream() == stream, "current_stream")
        tensor = host.to("npu", non_blocking=True)
        event = stream.record_event()
    torch.npu.current_stream().wait_event(event)
    copy = torch.empty_like(tensor).copy_(tensor)
    torch.npu.current_stream().synchronize()
    expect(event.query() and stream.query(), "query after a synchronise")
    expect(torch.equal(copy.cpu(), host), "the copy waited for the stream")


def many_streams_in_turn():
    streams = [torch.npu.Stream(priority=-(i % 2)) for i in range(40)]
    tensor = torch.arange(1000.0).npu()
    for stream in streams:
        stream.wait_stream(torch.npu.current_stream())
        with torch.npu.stream(stream):
            tensor = torch.empty_like(tensor).copy_(tensor)
        torch.npu.current_stream().wait_stream(stream)
    torch.npu.synchronize()
    expect(torch.equal(tensor.cpu(), torch.arange(1000.0)), "a chain through 40 streams")


def timing():
    source = torch.empty(1 << 22, device="npu")
    target = torch.empty(1 << 22, device="npu")
    start, middle, end = (torch.npu.Event(enable_timing=True) for _ in range(3))
    start.record()
    target.copy_(source)
    middle.record()
    for _ in range(20):
        target.copy_(source)
    end.record()
    end.synchronize()
    expect(start.elapsed_time(middle) >= 0, "elapsed_time")
    expect(start.elapsed_time(end) >= middle.elapsed_time(end) > 0, "the order of times")


def synchronize():
    torch.npu.synchronize()
    torch.npu.synchronize(1)


if __name__ == "__main__":
    main(work_on_a_stream, many_streams_in_turn, timing, synchronize)
