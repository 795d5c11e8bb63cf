"""Two ranks that share each batch learn what one rank learns that has it alone, whoever starts them.

  training_test.py <train_digits_ranks.sh> <train_digits_ranks>
"""

import re
import shutil
import subprocess
import sys
import tempfile


def losses(ranks):
    return losses_of([*sys.argv[1:], str(ranks)])


def losses_of(words):
    out = subprocess.run(words, check=True, capture_output=True, text=True, timeout=100).stdout
    return [float(loss) for loss in re.findall(r"^step \d+: loss (\S+)$", out, re.MULTILINE)]


if __name__ == "__main__":
    one, two = losses(1), losses(2)
    assert len(one) == len(two) == 60, (len(one), len(two))
    assert one[-1] < 0.8 * one[0], one  # it learns
    # Sums of gradients are rounded in another order.
    differences = [abs(a - b) for a, b in zip(one, two)]
    assert max(differences) <= 1e-5, differences
    assert max(differences) > 0, "two ranks computed nothing of their own"
    if shutil.which("mpirun") is not None:
        with tempfile.TemporaryDirectory() as folder:
            started = losses_of(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", sys.argv[2],
                                 f"{folder}/root"])
        # It may give each rank fewer cores, which some sums depend on.
        assert len(started) == 60 and max(abs(a - b) for a, b in zip(one, started)) <= 1e-5, started
