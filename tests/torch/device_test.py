"""Import, devices and memory figures."""

import torch
import torch_npu

from steps import expect, main, python


def import_is_quiet():
    out = python("import torch, torch_npu; print(torch_npu.__version__)")
    expect(out.strip() == torch_npu.__version__, out)


def use_and_exit_are_quiet():
    out = python("import torch, torch_npu\nprint(torch.arange(4.).npu().cpu().tolist())")
    expect(out.strip() == "[0.0, 1.0, 2.0, 3.0]", out)


def devices():
    expect(torch.npu.is_available(), "not available")
    expect(torch.npu.device_count() == 2, torch.npu.device_count())
    for device in range(2):
        expect(torch.npu.get_device_name(device) == "Ascend910B3", device)
    torch.npu.set_device(1)
    expect(torch.npu.current_device() == 1, "set_device")
    expect(torch.arange(3.0).npu().device.index == 1, "a tensor of the current device")
    torch.npu.set_device(0)


def properties():
    found = torch.npu.get_device_properties(0)
    free, total = torch.npu.mem_get_info()
    expect(found.name == "Ascend910B3" and found.total_memory == total, found)
    expect(0 < free <= total, (free, total))


def memory_figures():
    torch.npu.empty_cache()
    free, _ = torch.npu.mem_get_info()
    before = torch.npu.memory_allocated()
    tensor = torch.empty(1 << 22, device="npu")
    expect(torch.npu.memory_allocated() - before >= 1 << 24, "memory_allocated")
    expect(torch.npu.memory_reserved() >= 1 << 24, "memory_reserved")
    expect(torch.npu.max_memory_allocated() >= 1 << 24, "max_memory_allocated")
    expect(free - torch.npu.mem_get_info()[0] >= 1 << 24, "mem_get_info")
    del tensor
    expect(torch.npu.memory_allocated() == before, "memory_allocated after the end")
    torch.npu.empty_cache()
    expect(torch.npu.mem_get_info()[0] == free, "empty_cache gives everything back")
    expect("memory" in torch.npu.memory_summary().lower(), "memory_summary")


def seeds():
    torch.npu.manual_seed(3)
    expect(torch.npu.initial_seed() == 3, "initial_seed")
    state = torch.npu.get_rng_state()
    torch.npu.manual_seed(4)
    expect(not torch.equal(state, torch.npu.get_rng_state()), "get_rng_state")
    torch.npu.set_rng_state(state)
    expect(torch.npu.initial_seed() == 3, "set_rng_state")


if __name__ == "__main__":
    main(import_is_quiet, use_and_exit_are_quiet, devices, properties, memory_figures, seeds)
