#!/usr/bin/env python3
"""Pastes 1 MiB outside a field and leaves: prints what takes longer than two seconds of processor time.

    tests/hostile/paste.py PROGRAM
"""
import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

CPU_S, SIZE = 2.0, 1 << 20


def main(program):
    pid, fd = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execv(program, [program, "default"])
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    os.set_blocking(fd, False)
    keys, end = b"\x1b[200~" + b"x" * SIZE + b"\x1b[201~" + b"qqqq", time.monotonic() + 100
    started = False
    while time.monotonic() < end:
        readable, writable, _ = select.select([fd], [fd] if keys and started else [], [], 0.2)
        try:
            if readable and not os.read(fd, 65536):
                break
            started |= bool(readable)
            if writable:
                keys = keys[os.write(fd, keys[:4096]):]
        except BlockingIOError:
            pass
        except OSError:
            break  # the program has ended
        if not keys and not readable:
            break
    os.close(fd)
    _, status, usage = os.wait4(pid, 0)
    if keys:
        print(f"{len(keys)} keys were not read")
    if usage.ru_utime + usage.ru_stime > CPU_S:
        print(f"{usage.ru_utime + usage.ru_stime:.1f} s of processor time")


if __name__ == "__main__":
    main(sys.argv[1])
