#!/usr/bin/env python3
"""Measures rows of a table of runs on this machine's GPU and prints the table with what it measured.

    python3 tests/device/measure.py tests/data/measured_h100.csv mc-1b-s4k-b2 >mine.csv
    shardtop validate mine.csv

Columns are plan keys, as `shardtop validate` reads them; no ID means every row whose framework.name is megatron-core.
Needs PyTorch 2.8 or later and megatron.core on PYTHONPATH. Each row has a process of its own. A row of several GPUs is
one rank of them, alone, whose collectives move nothing: memory is measured, time is not.
"""
import csv
import json
import os
import statistics
import subprocess
import sys

WARM_STEPS, TIMED_STEPS = 3, 10


class Plan:
    """A row: plan.int("model.num_layers"), plan.text("train.recompute", "none"), plan.true("parallel.sp")."""

    def __init__(self, row):
        self.row = row

    def text(self, key, default=""):
        return self.row.get(key) or default

    def int(self, key, default=1):
        return int(self.row.get(key) or default)

    def true(self, key, default=False):
        return self.text(key, "true" if default else "false") == "true"

    def ranks(self):
        return self.int("parallel.tp") * self.int("parallel.pp") * self.int("parallel.dp")

    def micro_batches(self):
        return self.int("train.global_batch_size") // (self.int("train.micro_batch_size") * self.int("parallel.dp"))


def start_ranks(plan, rank=0):
    """Joins a process group of the row's ranks: a real one of one rank, or a fake one."""
    import torch
    import torch.distributed as dist
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="0", RANK=str(rank), LOCAL_RANK="0",
                      WORLD_SIZE=str(plan.ranks()))
    torch.cuda.set_device(0)
    if plan.ranks() == 1:
        dist.init_process_group("nccl", store=dist.HashStore(), world_size=1, rank=0)
    else:
        from torch.testing._internal.distributed.fake_pg import FakeStore
        dist.init_process_group("fake", store=FakeStore(), world_size=plan.ranks(), rank=rank)


def tokens(plan):
    """One micro-batch of random tokens and of those that follow them, on the GPU."""
    import torch
    drawn = torch.randint(0, plan.int("model.vocab_size"),
                          (plan.int("train.micro_batch_size"), plan.int("train.seq_length") + 1), device="cuda")
    return drawn[:, :-1].contiguous(), drawn[:, 1:].contiguous()


def measure(plan):
    """Peaks in GiB and, of a row of one GPU, the median seconds of a step."""
    import torch
    import megatron_core
    step = megatron_core.prepare(plan)
    for _ in range(WARM_STEPS):
        step()
    torch.cuda.synchronize()
    steady = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    events = [torch.cuda.Event(enable_timing=True) for _ in range(TIMED_STEPS + 1)]
    events[0].record()
    for event in events[1:]:
        step()
        event.record()
    torch.cuda.synchronize()
    milliseconds = [a.elapsed_time(b) for a, b in zip(events, events[1:])]
    peaks = {"steady": steady, "allocated": torch.cuda.max_memory_allocated(),
             "reserved": torch.cuda.max_memory_reserved()}
    found = {f"measured.{name}_gib": f"{value / 2**30:.3f}" for name, value in peaks.items()}
    found["measured.iteration_s"] = f"{statistics.median(milliseconds) / 1e3:.5f}" if plan.ranks() == 1 else ""
    return found


def main():
    if sys.argv[1:2] == ["--row"]:
        print("\n" + json.dumps(measure(Plan(json.loads(sys.argv[2])))))
        return 0
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with open(sys.argv[1], newline="") as table:
        reader = csv.DictReader(table)
        rows = [row for row in reader
                if row["framework.name"] == "megatron-core" and (row["id"] in sys.argv[2:] or not sys.argv[2:])]
    out = csv.DictWriter(sys.stdout, reader.fieldnames, lineterminator="\n", extrasaction="ignore")
    out.writeheader()
    failed = 0
    for row in rows:
        child = subprocess.run([sys.executable, __file__, "--row", json.dumps(row)], stdout=subprocess.PIPE, text=True)
        if child.returncode:
            print(f"measure.py: {row['id']}: not measured", file=sys.stderr)
            failed = 1
            continue
        out.writerow(row | json.loads(child.stdout.splitlines()[-1]) | {"notes": ""})
        sys.stdout.flush()
    return failed


if __name__ == "__main__":
    sys.exit(main())
