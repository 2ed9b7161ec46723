"""ctypes_estimate.py - libshardtop from Python without a process: python3 ctypes_estimate.py [LIBRARY]"""
import ctypes
import json
import sys

lib = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libshardtop.so.0")
lib.shardtop_open.restype = ctypes.c_void_p
lib.shardtop_close.argtypes = [ctypes.c_void_p]
lib.shardtop_ask.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
lib.shardtop_ask.restype = lib.shardtop_version.restype = ctypes.c_char_p


def ask(handle, **request):
    """The answer to one request of `shardtop batch`."""
    return json.loads(lib.shardtop_ask(handle, json.dumps(request).encode()))


handle = lib.shardtop_open()
for tp in (1, 2, 4, 8):
    answer = ask(handle, plan={"model": "llama3-8b", "nodes": 1, "tp": tp}, want=["memory.verdict", "time.iteration_s"])
    print(tp, answer["result"]["memory"]["verdict"], round(answer["result"]["time"]["iteration_s"], 3))
lib.shardtop_close(handle)
