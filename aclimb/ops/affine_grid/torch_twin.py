"""affine_grid of the benchmark in PyTorch, for bench/torch_twin.py."""

import torch
from bench_torch_twin import filled


def variants(case):
    theta, size = filled((case.images, 2, 3), case.type), [case.images, 3, case.size, case.size]
    extent = case.size
    out = torch.empty((case.images, extent, extent, 2), dtype=case.type)
    # Both coordinates of a point as a complex number, which PyTorch adds in vectors.
    points = torch.view_as_complex(out)

    def by_hand():
        places = torch.linspace(1 / extent - 1, 1 - 1 / extent, extent)[:, None]
        of_columns = torch.view_as_complex(places * theta[:, None, :, 0])
        of_rows = torch.view_as_complex(torch.addcmul(theta[:, None, :, 2], places, theta[:, None, :, 1]))
        torch.add(of_columns[:, None, :], of_rows[:, :, None], out=points)
        return out
    return {"affine_grid": lambda: torch.nn.functional.affine_grid(theta, size, align_corners=False),
            "sums of rows and columns": by_hand}
