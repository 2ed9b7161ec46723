#!/usr/bin/env python3
"""Types random keys at random sizes, saves, leaves and kills: prints how the program ended otherwise, and lost plans.

    KEYS=100000 tests/hostile/keys.py PROGRAM      2000 keys unless told; counts go to standard error
"""
import fcntl
import os
import pty
import random
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

KEYS, PER_RUN, WAIT_S = int(os.environ.get("KEYS", "2000")), 500, 20
TOKENS = [b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", b"\r", b"\x1b", b"\t", b"\x1b[Z", b"\x7f", b"\x1b[5~", b"\x1b[6~",
          b"\x1bOP", b"\x1b[1;5C", b"\x1b[<0;10;10M", b"\x1b[<64;20;5M", b"\x1b[200~tp 2\x1b[201~", b"\x13", b"\x12",
          b"\x0c", b"\x15"] + [bytes([c]) for c in range(0x20, 0x7f) if c != ord("!")]


def resize(fd, rng):
    size = struct.pack("HHHH", rng.choice([1, 5, 24, 40, 200]), rng.choice([1, 20, 80, 120, 400]), 0, 0)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, size)


def drain(fd, wait_s):
    """False once the program has closed its terminal."""
    while select.select([fd], [], [], wait_s)[0]:
        try:
            if not os.read(fd, 65536):
                return False
        except OSError:
            return False
        wait_s = 0
    return True


def type_keys(program, folder, rng, count):
    """Types until the program leaves or all is typed; how many keys, and the status (None: it was killed)."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", HOME=folder)
        os.chdir(folder)
        os.execv(program, [program, "plan.yaml"])
    typed, is_open = 0, drain(fd, 5)
    while is_open and typed < count:
        try:
            os.write(fd, rng.choice(TOKENS))
        except OSError:
            break
        typed += 1
        if typed % 37 == 0:
            resize(fd, rng)
        is_open = drain(fd, 0.001)
    if is_open:
        os.kill(pid, signal.SIGKILL)
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            os.close(fd)
            return typed, None if is_open else os.waitstatus_to_exitcode(status)
        drain(fd, 0.05)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(fd)
    print(f"does not end within {WAIT_S} s after its terminal is closed")
    return typed, None


def main(program):
    rng, typed, kills, ends = random.Random(27), 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        home = dict(os.environ, HOME=folder)
        while typed < KEYS:
            with open(os.path.join(folder, "plan.yaml"), "w", encoding="utf-8") as file:
                file.write("model: llama3-8b # kept\nparallel:\n  tp: 1\n")
            count, status = type_keys(program, folder, rng, min(PER_RUN, KEYS - typed))
            typed, kills, ends = typed + max(count, 1), kills + (status is None), ends + (status is not None)
            if status not in (None, 0, 1, 2):
                print(f"after {typed} keys: status {status}")
            for words in (["show", "plan.yaml"], ["--restore"]):
                again = subprocess.run([program, *words], cwd=folder, env=home, stdin=subprocess.DEVNULL,
                                       capture_output=True, check=False)
                if again.returncode not in (0, 1):
                    print(f"after {typed} keys: {words} gives {again.returncode}: {again.stderr.decode()[:200]}")
    print(f"{typed} keys, {kills} runs killed, {ends} runs left", file=sys.stderr)


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
