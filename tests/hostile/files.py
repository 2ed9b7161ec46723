#!/usr/bin/env python3
"""Runs the program on hostile files: each ends with a report or an error within a second of processor time and 64 MiB.

    tests/hostile/files.py PROGRAM      prints what breaks a limit; the worst time and memory go to standard error
"""
import os
import subprocess
import sys
import tempfile
import unicodedata

CPU_S, MEMORY_KIB, OUTPUT_BYTES = 1.0, 64 * 1024, 1 << 20
MODEL = "model: llama3-8b\n"
SCRIPT = "#!/bin/bash\n"
TRAIN = "python pretrain_gpt.py --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 2048 {}\n"
MB = 1 << 20


def lines(count, text):
    return "".join(text.format(i) for i in range(count))


def yaml_files():
    yield "anchors", lines(100_000, "a{0}: &x{0} 1\n")
    yield "anchors-lists", lines(60_000, "- &x{0} [1]\n")
    yield "aliases", "a: &x 1\nb:\n" + lines(200_000, "  - *x\n")
    yield "aliases-of-many", "a:\n" + lines(450, "  - &x{0} 1\n") + "b:\n" + lines(100_000, "  - *x449\n")
    yield "laughs", "a0: &a0 [lol, lol]\n" + lines(40, "b{0}: &b{0} [*a0, *a0]\n")
    yield "laughs-nested", "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 30))
    yield "alias-of-itself", "a: &a [*a]\n"
    yield "alias-of-nothing", "a: *nothing\n"
    yield "merge-keys", "a: &a {tp: 1}\n" + lines(10_000, "b{0}:\n  <<: *a\n")
    for name, opening in {"lists": "[", "mappings": "{a: ", "dashes": "- ", "mixed": "[{a: ", "quoted": "[\"", "keys": "? "}.items():
        for depth in (100, 10_000, 500_000):
            yield f"nested-{name}-{depth}", "x: " + opening * depth + "\n"
    yield "indented", "".join(" " * i + "a:\n" for i in range(2000))
    yield "keys", lines(100_000, "key{0}: 1\n")
    yield "same-key", lines(100_000, "tp: {0}\n")
    yield "long-key", "k" * MB + ": 1\n"
    yield "long-value", "tp: " + "9" * MB + "\n"
    yield "long-expression", MODEL + "tp: " + "1+" * 100_000 + "1\n"
    yield "brackets-expression", MODEL + "tp: " + "(" * 100_000 + "1" + ")" * 100_000 + "\n"
    yield "powers-expression", MODEL + "tp: " + "2**" * 10_000 + "2\n"
    yield "huge-number", MODEL + "tp: 1e308\nseq_length: 1e300\n"
    yield "tiny-number", MODEL + "seq_length: 1e-308\n"
    yield "nan", MODEL + "tp: .nan\nmicro_batch_size: .inf\n"
    yield "hex", MODEL + "tp: 0xffffffffffffffff\n"
    yield "flow", "{" + lines(100_000, "a{0}: 1, ") + "}\n"
    yield "documents", "---\n" * 100_000
    yield "directives", "%YAML 1.2\n" * 100_000
    yield "tags", "a: " + "!!" * 100_000 + "x\n"
    yield "tag-directives", lines(50_000, "%TAG !e{0}! tag:example.com,2000:\n") + "---\na: 1\n"
    yield "comments", "#\n" * 500_000 + MODEL
    yield "literal", "a: |\n" + "  x\n" * 300_000
    yield "folded", "a: >\n" + "  x\n" * 300_000
    yield "double-quoted", 'a: "' + "\\n" * 500_000 + '"\n'
    yield "escapes", 'a: "' + "\\u0041" * 200_000 + '"\n'
    yield "plain-lines", "a: x\n" + "  y\n" * 300_000
    yield "layout", MODEL + "pp: 4\npipeline_layout: [" + "1, " * 200_000 + "1]\n"
    yield "modules", MODEL + "recompute_modules: [" + "mlp, " * 100_000 + "mlp]\n"
    yield "stages", MODEL + "pp: 1048576\nhardware: {nodes: 1048576}\n"
    yield "chunks", MODEL + "pp: 32\nvpp: 1048576\nhardware: {nodes: 64}\n"
    yield "ranks", MODEL + "dp: 1048576\n"
    yield "microbatches", MODEL + "global_batch_size: 1000000000\npp: 8\ntp: 1\n"
    yield "layers", "model: {num_layers: 1000000000, hidden_size: 4096, num_attention_heads: 32, vocab_size: 1000}\n"
    yield "experts", "model: mixtral-8x7b\nnum_experts: 1000000000\n"
    yield "questions", MODEL + "assumed:\n" + lines(100_000, "  - tp{0}\n")


def json_files():
    for name, opening in {"lists": "[", "objects": '{"a":', "mixed": '[{"a":'}.items():
        for depth in (100, 10_000, 500_000):
            yield f"json-nested-{name}-{depth}", '{"model": ' + opening * depth
    yield "json-keys", "{" + ",".join(f'"key{i}": 1' for i in range(100_000)) + "}"
    yield "json-same-key", "{" + ",".join('"tp": 1' for _ in range(100_000)) + "}"
    yield "json-long-string", '{"model": "' + "x" * MB + '"}'
    yield "json-escapes", '{"model": "' + "\\u0041" * 200_000 + '"}'
    yield "json-surrogates", '{"model": "' + "\\ud800" * 100_000 + '"}'
    yield "json-half-surrogate", '{"model": "\\udc00"}'
    yield "json-nul", '{"model": "llama\\u0000x"}'
    yield "json-number", '{"tp": ' + "1" * MB + "}"
    yield "json-exponent", '{"tp": 1e' + "9" * 1000 + "}"
    yield "json-open", '{"tp": 1'
    yield "json-string-open", '{"tp": "' + "x" * MB
    yield "json-blanks", " " * MB + '{"model": "llama3-8b"}'
    yield "json-wide", '{"a": [' + "1," * 1_000_000 + "1]}"
    yield "config", '{"model_type": "llama", "hidden_size": 1e999, "num_hidden_layers": -1, "num_attention_heads": 0}'
    yield "config-nested", '{"model_type": "llama", "text_config": ' * 5000
    yield "config-layers", '{"model_type": "llama", "layer_types": [' + '"full_attention",' * 200_000 + '"x"]}'
    yield "deepspeed", '{"zero_optimization": {"stage": 1e300, "reduce_bucket_size": "' + "9" * 100_000 + '"}}'


def script_files():
    yield "assignments", SCRIPT + lines(60_000, "A{0}=$A{0}$A{0}\n") + TRAIN.format("$A1")
    yield "doubling", SCRIPT + "A=xxxxxxxxxxxxxxxx\n" + "A=$A$A\n" * 64 + TRAIN.format("$A")
    yield "doubling-array", SCRIPT + "A=(x)\n" + 'A=("${A[@]}" "${A[@]}")\n' * 64 + TRAIN.format('"${A[@]}"')
    yield "braces", SCRIPT + TRAIN.format("{1..1000000000}")
    yield "braces-nested", SCRIPT + TRAIN.format("{a,b}" * 40)
    yield "loop", SCRIPT + "for i in $(seq 1000000000); do A=$A$i; done\n" + TRAIN.format("$A")
    yield "loop-c", SCRIPT + "for ((i=0;i<1000000000;i++)); do A+=x; done\n" + TRAIN.format("$A")
    yield "while", SCRIPT + "while true; do A=$A; done\n" + TRAIN.format("")
    yield "while-nested", SCRIPT + "while :; do " * 1000 + "done; " * 1000 + "\n" + TRAIN.format("")
    yield "recursion", SCRIPT + "f() { f; f; }\nf\n" + TRAIN.format("")
    yield "recursion-arguments", SCRIPT + 'f() { f "$@" "$@"; }\nf a b\n' + TRAIN.format("")
    yield "functions", SCRIPT + lines(20_000, "f{0}() {{ f1; }}\n") + TRAIN.format("")
    yield "sources-itself", SCRIPT + 'source "$0"\nsource "${BASH_SOURCE[0]}"\n' + TRAIN.format("")
    yield "sources-folder", SCRIPT + "source /\nsource /dev/zero\nsource /dev/stdin\n" + TRAIN.format("")
    yield "sources-many", SCRIPT + lines(20_000, "source ./none{0}.sh\n") + TRAIN.format("")
    yield "substitutions", SCRIPT + "A=" + "$(" * 20_000 + ")" * 20_000 + "\n" + TRAIN.format("$A")
    yield "arithmetic", SCRIPT + "A=$((" + "(" * 100_000 + "1" + ")" * 100_000 + "))\n" + TRAIN.format("$A")
    yield "arithmetic-overflow", SCRIPT + "A=$((9223372036854775807*9223372036854775807/0))\n" + TRAIN.format("$A")
    yield "parameters", SCRIPT + "A=" + "${A:-" * 50_000 + "}" * 50_000 + "\n" + TRAIN.format("$A")
    yield "replacements", SCRIPT + "A=" + "a" * 100_000 + "\nB=${A//a/$A}\n" + TRAIN.format("$B")
    yield "quotes-open", SCRIPT + TRAIN.format('"' + "x" * MB)
    yield "backslashes", SCRIPT + TRAIN.format("\\\n" * 300_000)
    yield "here-document", SCRIPT + "cat <<END\n" + "x\n" * 300_000 + TRAIN.format("")
    yield "here-documents", SCRIPT + "cat " + "<<END " * 10_000 + "\n" + TRAIN.format("")
    yield "cases", SCRIPT + "case $1 in\n" + lines(50_000, "{0}) A={0};;\n") + "esac\n" + TRAIN.format("$A")
    yield "ifs", SCRIPT + "if [ $1 = 1 ]; then\n" * 5000 + "fi\n" * 5000 + TRAIN.format("")
    yield "flags", SCRIPT + TRAIN.format("--made-up-flag {} " * 1)[:-1] + lines(100_000, " --flag-{0} 1") + "\n"
    yield "same-flag", SCRIPT + TRAIN.format("--seq-length 1 " * 100_000)
    yield "commands", SCRIPT + TRAIN.format("") * 10_000
    yield "pipes", SCRIPT + "a | " * 100_000 + TRAIN.format("")
    yield "long-word", SCRIPT + TRAIN.format("x" * MB)
    yield "pattern", SCRIPT + TRAIN.format("--moe-layer-freq '([1]*1000000000)*1000000000'")
    yield "pattern-nested", SCRIPT + TRAIN.format("--moe-layer-freq '" + "[" * 50_000 + "1" + "]" * 50_000 + "'")
    yield "directives-slurm", SCRIPT + lines(50_000, "#SBATCH --nodes={0}\n") + TRAIN.format("")
    yield "globs", SCRIPT + "for f in /*/*/*/*; do A=$f; done\n" + TRAIN.format("$A")


def byte_files():
    yield "empty", b""
    yield "nul", b"\0" * 4096
    yield "nul-in-plan", b"model: llama3-8b\0\ntp: 2\n"
    yield "bom", b"\xef\xbb\xbf" + MODEL.encode()
    yield "bom-many", b"\xef\xbb\xbf" * 100_000 + MODEL.encode()
    yield "utf-16", MODEL.encode("utf-16")
    yield "utf-32", MODEL.encode("utf-32")
    yield "crlf", MODEL.replace("\n", "\r\n").encode() * 2
    yield "cr", b"model: llama3-8b\rtp: 2\r"
    yield "crlf-script", (SCRIPT + TRAIN.format("")).replace("\n", "\r\n").encode()
    yield "latin-1", b"model: caf\xe9\n"
    yield "surrogates", b"model: \xed\xa0\x80\n"
    yield "overlong", b"model: \xc0\xaf\n"
    yield "cut-utf-8", b"model: \xe2\x82"
    yield "noncharacters", "model: \ufffe\uffff\n".encode("utf-8", "surrogatepass")
    yield "controls", bytes(range(1, 32)) * 1000
    yield "escapes-terminal", b"model: \"\\e]0;title\\a\\e[2J\"\n\x1b[31m: 1\n"
    yield "bidi", "model: \u202ellama\u2066\n\u202e: 1\n".encode()
    yield "combining", ("model: a" + "\u0301" * 300_000 + "\n").encode()
    yield "wide", ("\u6a21" * 300_000 + ": 1\n").encode()
    yield "spaces", b" " * (3 * MB)
    yield "newlines", b"\n" * (3 * MB)
    yield "tabs", b"\t" * (3 * MB)
    yield "one-line", b"x" * (3 * MB)
    yield "too-large", b"#" * (5 * MB)
    yield "random", bytes((i * 2654435761 >> 11) & 255 for i in range(200_000))
    yield "gzip", b"\x1f\x8b\x08" + b"\0" * 1000
    yield "elf", b"\x7fELF" + bytes(1000)
    yield "csv", b"id,source,model\n" + b"a,b,c\n" * 200_000
    yield "toml", ("[model]\n" + lines(100_000, "a{0} = 1\n")).encode()
    yield "toml-nested", b"[job]\n[model]\nflavor = " + b"[" * 100_000
    yield "toml-tables", b"".join(b"[a%d.b.c]\n" % i for i in range(50_000))


def run(program, path):
    """Status, processor time in seconds, largest memory in KiB, what was printed."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen([program, "show", path], stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        size = out.tell()
        out.seek(0)
        text = out.read(OUTPUT_BYTES)
    return child.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, size, text


def controls(text):
    return [c for c in text.decode("utf-8", "replace") if c != "\n" and unicodedata.category(c) in ("Cc", "Cf")]


def main(program):
    worst_s, worst_kib, count = (0, ""), (0, ""), 0
    with tempfile.TemporaryDirectory() as folder:
        for kinds in (yaml_files, json_files, script_files, byte_files):
            for name, content in kinds():
                path = os.path.join(folder, name)
                with open(path, "wb") as file:
                    file.write(content.encode() if isinstance(content, str) else content)
                status, seconds, kib, size, text = run(program, path)
                worst_s, worst_kib, count = max(worst_s, (seconds, name)), max(worst_kib, (kib, name)), count + 1
                if status not in (0, 2):
                    print(f"{name}: status {status}")
                if seconds > CPU_S:
                    print(f"{name}: {seconds:.2f} s of processor time")
                if kib > MEMORY_KIB:
                    print(f"{name}: {kib} KiB")
                if size > OUTPUT_BYTES:
                    print(f"{name}: prints {size} bytes")
                if controls(text):
                    print(f"{name}: prints control characters {controls(text)[:3]}")
                os.unlink(path)
    print(f"{count} files; at most {worst_s[0]:.2f} s ({worst_s[1]}), {worst_kib[0] / 1024:.0f} MiB ({worst_kib[1]})",
          file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1])
