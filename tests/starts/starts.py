#!/usr/bin/env python3
"""Do the layouts that shardtop finds start?

    make check-starts MEGATRON=Megatron-LM [MEGATRON014=Megatron-LM@core_v0.14.0] [NANOTRON=DIR] [DEEPSPEED=DIR] [TORCHTITAN=DIR]
    python3 starts.py --tree Megatron-LM [--core-tree Megatron-LM@core_v0.14.0] --cases cases.json
    python3 starts.py --tree Megatron-LM --random 500 --seed 7

Takes the rows of `shardtop search`, the changes of `shardtop advice` and random plans, exports each, runs the exported script with
stand-ins for torchrun, python and the like that only write down the environment and the arguments, and gives these to the
framework's own code (on_*.py), which runs on stubs up to the first forward pass. Standard library only; nothing of the frameworks is copied.

A tree is a checkout or a git directory, with @REVISION behind it if need be. Exit status: 0 when nothing that shardtop calls
valid is refused, 1 when something is, 2 when it could not be found out.
"""
import argparse
import collections
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
WORKERS = {'megatron': 'on_megatron.py', 'nanotron': 'on_nanotron.py', 'deepspeed': 'on_deepspeed.py', 'torchtitan': 'on_torchtitan.py'}
FORMAT_OF = {'megatron-core': 'megatron', 'megatron-core-0.14': 'megatron', 'nanotron': 'nanotron', 'deepspeed': 'deepspeed',
             'fsdp2': 'torchtitan', 'fsdp2-2025': 'torchtitan'}
TE_OF = {'megatron-core': '2.17.1', 'megatron-core-0.14': '2.7.0'}
LAUNCHERS = 'torchrun python python3 deepspeed accelerate srun mpirun torchtitan_train'.split()


def parse():
    p = argparse.ArgumentParser(description=__doc__.split('\n')[0], formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--tree', help='Megatron-LM of today (framework megatron-core)')
    p.add_argument('--core-tree', help='Megatron-LM at core_v0.14.0 (framework megatron-core-0.14)')
    p.add_argument('--nanotron', help='nanotron'), p.add_argument('--deepspeed', help='DeepSpeed'), p.add_argument('--torchtitan', help='torchtitan')
    p.add_argument('--shardtop', default='build/shardtop'), p.add_argument('--cases', action='append', default=[])
    p.add_argument('--top', type=int, default=5, help='rows of a search')
    p.add_argument('--features', action='store_true', help='the rows of searches that free features too')
    p.add_argument('--advice', action='store_true', help='the changes of advice too, for every case')
    p.add_argument('--random', type=int, default=0), p.add_argument('--seed', type=int, default=1)
    p.add_argument('--framework', action='append', default=[], help='of random plans; all whose tree is given')
    p.add_argument('--repair', action='store_true', help='mend what exporters were known to leave out, to see the rules apart')
    p.add_argument('--only', help='cases whose name has this'), p.add_argument('--out', help='write every answer here, a JSON line each')
    p.add_argument('--round-trip', action='store_true', help='read every exported file again and compare all keys and figures')
    p.add_argument('--list', action='store_true', help='print every refusal with what repeats it')
    return p.parse_args()


# ---- shardtop -------------------------------------------------------------------------------------------------------

def shardtop(args, *words):
    return subprocess.run([args.shardtop, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def text_of(value):
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if isinstance(value, list):
        return '[' + ','.join(text_of(item) for item in value) + ']'
    return str(value)


def options(case, changes=()):
    words = ['--model', case['model'], '--framework', case.get('framework', 'megatron-core')]
    words += ['--gpu', case['gpu'], '--gpus', str(case['gpus'])] if 'gpu' in case else []
    for key, value in list(case.get('set', {}).items()) + list(dict(changes).items()):
        words += ['--set', f'{key}={text_of(value)}']
    return words


def plans_of_search(args, case):
    yield from rows_of_search(args, case, [])
    if args.features:
        yield from rows_of_search(args, case, ['--free', 'features'])


def rows_of_search(args, case, more):
    answer = shardtop(args, 'search', *options(case), '--top', str(case.get('rows', args.top)), '--json', *more)
    try:
        found = json.loads(answer.stdout)
    except ValueError:
        print(f'{case["name"]}: search: {answer.stderr.strip()[:200]}', file=sys.stderr)
        return
    rows = list(found.get('best') or []) + [row for row in [found.get('recommended')] if isinstance(row, dict)]
    seen = set()
    for row in rows:
        text = json.dumps(row['changes'], sort_keys=True)
        if text not in seen:
            seen.add(text)
            name = f'{"features " * bool(more)}row {row.get("rank") or "recommended"}'
            yield 'search', name, options(case, row['changes'].items())


def plans_of_advice(args, case):
    answer = shardtop(args, 'advice', *options(case), '--top', '40', '--json')
    for change in json.loads(answer.stdout)['changes'] if answer.returncode in (0, 1) and answer.stdout else []:
        if change['key'].startswith(('hardware', 'serve', 'model')) or change['group'].startswith('other'):
            continue
        follows = {key: value for key, value in change.get('follows', {}).items() if key not in ('parallel.dp', 'hardware.nodes')}
        yield 'advice', f'{change["key"]}={text_of(change["to"])}', options(case, {**follows, change['key']: change['to']}.items())


# ---- random plans ---------------------------------------------------------------------------------------------------
# key, how often it is set, its values, the flags that say it to Megatron: used for plans that shardtop refuses to export.

MODELS = ('llama3-8b llama3-70b llama2-13b gpt3-6.7b gpt3-175b qwen2.5-7b qwen3-8b mixtral-8x7b qwen3-30b-a3b deepseek-v2-lite '
          'deepseek-v3 gemma2-9b gpt-oss-20b').split()
ONE = lambda flag: lambda value: [flag, text_of(value)]
IF = lambda *flags: lambda value: list(flags) if value else []
AXES = [
    ('tp', 1, [1, 1, 2, 4, 8], ONE('--tensor-model-parallel-size')), ('sp', .8, [True, True, True, False], IF('--sequence-parallel')),
    ('pp', 1, [1, 1, 2, 4, 4, 8], ONE('--pipeline-model-parallel-size')), ('cp', .3, [2, 4], ONE('--context-parallel-size')),
    ('cp_comm', .3, ['p2p', 'all_gather', 'a2a'], ONE('--cp-comm-type')), ('mbs', .5, [1, 2, 4], ONE('--micro-batch-size')),
    ('gbs', 1, [64, 128, 256, 96], ONE('--global-batch-size')), ('seq_length', 1, [1024, 2048, 4096], ONE('--seq-length')),
    ('ep', .6, [2, 4, 8], ONE('--expert-model-parallel-size')), ('etp', .5, [1, 1, 2], ONE('--expert-tensor-parallel-size')),
    ('moe_dispatcher', .5, ['alltoall', 'allgather', 'flex'], ONE('--moe-token-dispatcher-type')),
    ('overlap_ep', .15, [True], IF('--overlap-moe-expert-parallel-comm')), ('moe_capacity_factor', .1, [1, 1.5], ONE('--moe-expert-capacity-factor')),
    ('vpp', .35, [2, 3, 4], ONE('--num-virtual-stages-per-pipeline-rank')),
    ('microbatch_group', .1, [2, 4, 5, 8, 16], ONE('--microbatch-group-size-per-virtual-pipeline-stage')),
    ('overlap_p2p', .1, [False], lambda value: ['--no-overlap-p2p-communication']),
    ('first_stage_layers', .08, [1, 2, 3, 5], ONE('--decoder-first-pipeline-num-layers')),
    ('last_stage_layers', .1, [1, 2, 3, 5], ONE('--decoder-last-pipeline-num-layers')),
    ('embedding_counts_as_layer', .06, [True], IF('--account-for-embedding-in-pipeline-split')),
    ('loss_counts_as_layer', .06, [True], IF('--account-for-loss-in-pipeline-split')),
    ('order', .06, ['tp-cp-ep-pp-dp'], IF('--use-tp-pp-dp-mapping')), ('shard_group', .06, [2, 4, 8], None),
    ('zero_stage', .8, [1, 1, 0], IF('--use-distributed-optimizer')),
    ('fsdp', .1, ['full', 'shard_grad_op'], lambda value: ['--use-megatron-fsdp', '--data-parallel-sharding-strategy', 'optim_grads_params' if value == 'full'
                                                         else 'optim_grads', '--ckpt-format', 'fsdp_dtensor']),
    ('recompute', .4, ['full', 'selective', 'selective'], None), ('recompute_method', .15, ['block'], None),
    ('recompute_modules', .3, ['core_attn', 'layernorm', 'mlp', 'moe', 'moe_act', 'shared_experts', 'mla_up_proj', 'layernorm,moe_act', 'mlp,moe'], None),
    ('overlap_grad_reduce', .3, [True], IF('--overlap-grad-reduce')), ('overlap_param_gather', .2, [True], IF('--overlap-param-gather')),
    ('overlap_tp', .12, [True], IF('--tp-comm-overlap')),
    ('dtype', .35, ['fp8', 'fp8', 'mxfp8', 'fp16', 'nvfp4'], lambda value: {'fp8': ['--bf16', '--fp8-format', 'hybrid'], 'fp16': ['--fp16'],
     'mxfp8': ['--bf16', '--fp8-format', 'e4m3', '--fp8-recipe', 'mxfp8'], 'nvfp4': ['--bf16', '--fp4-format', 'e2m1']}[value]),
    ('fp8_recipe', .2, ['tensorwise', 'blockwise', 'mxfp8'], ONE('--fp8-recipe')), ('fp8_param_gather', .06, [True], IF('--fp8-param-gather')),
    ('grad_dtype', .1, ['bf16', 'fp32'], None), ('optimizer_dtype', .08, ['bf16', 'fp8'], None), ('optimizer', .08, ['sgd', 'muon'], ONE('--optimizer')),
    ('offload_optimizer', .06, [1, .5], lambda value: ['--optimizer-cpu-offload', '--optimizer-offload-fraction', str(value)]),
    ('cuda_graph', .1, ['partial', 'full'], lambda value: ['--cuda-graph-impl', 'local' if value == 'partial' else 'full_iteration']),
    ('attention', .06, ['unfused'], None), ('attention_kernel', .08, ['cudnn', 'fa2'], None), ('deterministic', .04, [True], IF('--deterministic-mode')),
    ('cross_entropy', .15, ['native_fused', 'te_fused'], None), ('defer_embedding_wgrad', .06, [True], IF('--defer-embedding-wgrad-compute')),
    ('partition_activations', .05, [True], IF('--distribute-saved-activations')), ('transformer_impl', .04, ['local'], ONE('--transformer-impl')),
    ('attention_dropout', .03, [.1], ONE('--attention-dropout')), ('mtp_num_layers', .04, [1, 2], ONE('--mtp-num-layers')),
    ('moe_grouped_gemm', .04, [False], None), ('gradient_accumulation_fusion', .04, [False], lambda value: ['--no-gradient-accumulation-fusion']),
]
OF_ALL = {'tp', 'pp', 'cp', 'mbs', 'gbs', 'seq_length', 'zero_stage', 'fsdp', 'recompute', 'dtype'}
FOR_EXPERTS = {'ep', 'etp', 'moe_dispatcher', 'overlap_ep', 'moe_capacity_factor', 'moe_grouped_gemm'}


def plans_at_random(args, framework):
    """Of eight draws the first that shardtop takes: most arithmetic fails; now and then one that it does not take."""
    roll = random.Random(f'{framework} {args.seed}')
    names = set(shardtop(args, 'list', 'models').stdout.split())
    for number in range(args.random):
        for draw in range(8):
            case = draw_plan(framework, roll, [name for name in MODELS if name in names])
            if roll.random() < .06 or shardtop(args, 'export', *options(case), '--to', FORMAT_OF[framework]).returncode == 0:
                break
        yield 'random', f'{framework} {case["model"]} #{number}', options(case), case


def draw_plan(framework, roll, models):
    case = {'model': roll.choice(models), 'gpu': roll.choice(['h100-sxm-80', 'h100-sxm-80', 'a100-sxm-80', 'b200-sxm']),
            'gpus': roll.choice([8, 16, 32, 64, 128]), 'framework': framework, 'set': {}}
    experts = any(word in case['model'] for word in ('mixtral', 'a3b', 'deepseek', 'oss'))
    for key, often, values, _ in AXES:
        often *= 1 if FORMAT_OF[framework] == 'megatron' or key in OF_ALL else .1
        if roll.random() < often and (experts or key not in FOR_EXPERTS):
            value = roll.choice(values)
            case['set'][key] = f'[{value}]' if key == 'recompute_modules' else value
    return case


def flags_of_refused(args, case, bases):
    """Megatron's flags of a plan that shardtop does not export: those of the model on one GPU, with the table's."""
    if case['model'] not in bases:
        small = {**case, 'gpus': 1, 'set': {'seq_length': 1024, 'gbs': 64}}
        bases[case['model']] = exported(args, options(small), 'megatron')[0]
    base, said = bases[case['model']], case['set']
    if not base:
        return None
    flags = list(base['argv'])

    def put(words):
        at = flags.index(words[0]) if words[0] in flags else None
        if at is not None:
            del flags[at:at + len(words)]
        flags.extend(words)
    for key, _, _, how in AXES:
        if how and key in said and not (key in ('cp_comm', 'order') and key != 'order' and 'cp' not in said):
            words = how(said[key])
            if words:
                put(words)
    if said.get('recompute') == 'full':
        put(['--recompute-granularity', 'full'])
        put(['--recompute-method', said.get('recompute_method', 'uniform')])
        put(['--recompute-num-layers', '1'])
    elif said.get('recompute') == 'selective':
        put(['--recompute-granularity', 'selective'])
        put(['--recompute-modules', *said.get('recompute_modules', '[core_attn]').strip('[]').split(',')])
    if said.get('grad_dtype') == 'bf16':
        put(['--grad-reduce-in-bf16'])
    if 'optimizer_dtype' in said:
        put(['--use-precision-aware-optimizer']), put(['--exp-avg-dtype', said['optimizer_dtype']]), put(['--exp-avg-sq-dtype', said['optimizer_dtype']])
    ranks = case['gpus'] // math.prod(int(said.get(key, 1)) for key in ('tp', 'pp', 'cp')) * int(said.get('cp', 1))
    if ranks > said.get('shard_group', ranks):
        put(['--num-distributed-optimizer-instances', str(ranks // said['shard_group'])])
    if 'etp' not in said and '--expert-tensor-parallel-size' in flags:
        at = flags.index('--expert-tensor-parallel-size')
        del flags[at:at + 2]
    if said.get('dtype') == 'fp16':
        flags.remove('--bf16') if '--bf16' in flags else None
    if 'cross_entropy' in said:
        put(['--cross-entropy-loss-fusion']), put(['--cross-entropy-fusion-impl', said['cross_entropy'].split('_')[0]])
    if said.get('moe_grouped_gemm') is False and '--moe-grouped-gemm' in flags:
        flags.remove('--moe-grouped-gemm')
    if 'attention_kernel' in said or 'attention' in said:
        put(['--attention-backend', 'unfused' if 'attention' in said else 'fused' if said['attention_kernel'] == 'cudnn' else 'flash'])
    return {**base, 'argv': flags, 'world': case['gpus']}


# ---- running an export ----------------------------------------------------------------------------------------------

def make_stand_ins(folder):
    """Programs that write their name, arguments and environment, and do nothing else."""
    os.makedirs(folder)
    for name in LAUNCHERS:
        path = os.path.join(folder, name)
        with open(path, 'w') as file:
            file.write('#!/bin/sh\n{ printf \'%s\\0\' "$0" "$@"; printf \'\\0\'; env -0; printf \'\\1\'; } >>"$STARTS_CAPTURE"\n')
        os.chmod(path, 0o755)


def capture(args, script):
    """What the last training command of a script gets: arguments, environment, number of ranks."""
    with tempfile.TemporaryDirectory() as folder:
        path, written = os.path.join(folder, 'job.sh'), os.path.join(folder, 'written')
        with open(path, 'w') as file:
            file.write(script)
        environment = {'PATH': args.stand_ins + ':/usr/bin:/bin', 'HOME': folder, 'STARTS_CAPTURE': written, 'LANG': 'C'}
        ran = subprocess.run(['bash', path], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        if not os.path.exists(written):
            return None, 'the script started no program: ' + ran.stderr.strip()[:200]
        with open(written, errors='replace') as file:
            call = file.read().split('\1')[-2]
    words, _, variables = call.partition('\0\0')
    words, env = words.split('\0'), dict(item.split('=', 1) for item in variables.split('\0') if '=' in item)
    for name in ('STARTS_CAPTURE', 'PATH', 'HOME', 'PWD', 'OLDPWD', 'SHLVL', '_', 'LANG'):
        env.pop(name, None)
    at = next((i for i, word in enumerate(words) if word.endswith('.py')), None)
    if at is None:
        return None, 'no training program in: ' + ' '.join(words)[:200]
    size = {'nnodes': 1, 'nproc': 1}
    for i, word in enumerate(words[:at]):
        found = re.match(r'--(nnodes|nproc)(?:[-_]per[-_]node)?(?:=(.*))?$', word)
        if found:
            size[found.group(1)] = int((found.group(2) or words[i + 1]).split(':')[0])
    return {'argv': words[at + 1:], 'env': env, 'world': size['nnodes'] * size['nproc']}, None


def exported(args, words, kind):
    answer = shardtop(args, 'export', *words, '--to', kind)
    if answer.returncode != 0:
        return None, answer.stderr.strip()
    if kind == 'megatron':
        return capture(args, answer.stdout)
    return {'text': answer.stdout, **sizes(args, words)}, None


def sizes(args, words):
    """Ranks, and the model-parallel part of them, as shardtop resolves the plan: what a configuration file does not say."""
    try:
        plan = json.loads(shardtop(args, 'show', *words, '--json').stdout)['plan']
    except (ValueError, KeyError):
        return {'gpus': int(words[words.index('--gpus') + 1])}
    tp, pp, cp, dp = (plan['parallel.' + name]['value'] for name in ('tp', 'pp', 'cp', 'dp'))
    return {'gpus': tp * pp * cp * dp, 'model_parallel': tp * pp * cp, 'stages': pp}


# ---- the way back ---------------------------------------------------------------------------------------------------

def returned(args, words, kind):
    """Keys whose value is another one when the exported file is read again beside the same hardware, and figures that moved."""
    there = shardtop(args, 'show', *words, '--json')
    script = shardtop(args, 'export', *words, '--to', kind)
    if there.returncode or script.returncode:
        return []
    keep = [word for i, word in enumerate(words) if word in ('--framework', '--gpu', '--gpus') or i and words[i - 1] in ('--framework', '--gpu', '--gpus')]
    keep += [word for i, word in enumerate(words) if (word + words[min(i + 1, len(words) - 1)]).startswith(('--setcluster', '--sethardware', '--setnodes'))
             or word.startswith(('cluster=', 'hardware.', 'nodes='))]
    keep += [] if kind in ('megatron', 'nanotron') else ['--model', words[words.index('--model') + 1]]
    with tempfile.NamedTemporaryFile('w', suffix={'megatron': '.sh', 'nanotron': '.yaml', 'deepspeed': '.json', 'torchtitan': '.toml'}[kind]) as file:
        file.write(script.stdout)
        file.flush()
        back = shardtop(args, 'show', file.name, *keep, '--json')
    try:
        old, new = json.loads(there.stdout), json.loads(back.stdout)
    except ValueError:
        return ['cannot be read again: ' + back.stderr.strip()[:80]]
    figures = {'memory': lambda d: max(s['device_bytes'] for s in d['memory']['stages']), 'time': lambda d: d['time']['iteration_s']}
    out = [f'{key}: {value["value"]} > {new["plan"].get(key, {}).get("value")}' for key, value in old['plan'].items()
           if value['value'] != new['plan'].get(key, {}).get('value') and not key.startswith(('hardware.', 'serve.', 'model.name', 'cluster'))]
    for name, of in figures.items():
        try:
            change = of(new) / of(old) - 1
        except (KeyError, TypeError, ZeroDivisionError, ValueError):
            continue
        if abs(change) > 1e-9:
            out.append(f'{name} moves')
    return out


def arch_of(words):
    gpu = words[words.index('--gpu') + 1] if '--gpu' in words else next((w[8:] for w in words if w.startswith('cluster=')), 'h100')
    return 10 if re.search(r'[gb]b?[23]00', gpu) and 'gh200' not in gpu and 'h200' not in gpu else 9 if re.search(r'h[12]00|h800|h20|gh200', gpu) else \
        7 if re.search(r'v100|t4', gpu) else 8


def repair(job):
    """What exporters of today leave out, written in: each of these is a defect of the export, not of a rule."""
    flags, env = job['argv'], job['env']
    fsdp = '--use-megatron-fsdp' in flags
    if job['arch'] < 10 and not fsdp:
        env.setdefault('CUDA_DEVICE_MAX_CONNECTIONS', '1')
    if fsdp and '--ckpt-format' not in flags:
        flags += ['--ckpt-format', 'fsdp_dtensor']
    if '--moe-router-enable-expert-bias' in flags and '--moe-router-score-function' not in flags:
        flags += ['--moe-router-score-function', 'sigmoid']
    if '--moe-router-group-topk' in flags and '--moe-router-num-groups' not in flags:
        flags += ['--moe-router-num-groups', '8']
    if '--moe-router-topk' in flags and flags[flags.index('--moe-router-topk') + 1] == '1':
        flags += ['--moe-router-pre-softmax']
    if '--deterministic-mode' in flags:
        env.update(NVTE_ALLOW_NONDETERMINISTIC_ALGO='0', NCCL_ALGO='Ring', CUBLAS_WORKSPACE_CONFIG=':4096:8')
    if 'full_iteration' in flags and '--no-check-for-nan-in-loss-and-grad' not in flags:
        flags += ['--no-check-for-nan-in-loss-and-grad']
    if '--optimizer-cpu-offload' in flags and '--use-precision-aware-optimizer' not in flags:
        flags += ['--use-precision-aware-optimizer']
    if '--num-experts' in flags and '--disable-bias-linear' not in flags and '--no-bias-dropout-fusion' not in flags:
        flags += ['--no-bias-dropout-fusion']
    if '--cp-comm-type' in flags and 'allgather' in flags:
        flags[flags.index('--cp-comm-type') + 1] = 'all_gather'
    if '--seq-length' in flags and '--max-position-embeddings' in flags and 'learned_absolute' not in flags:
        at = flags.index('--max-position-embeddings') + 1
        flags[at] = str(max(int(flags[at]), int(flags[flags.index('--seq-length') + 1])))


# ---- asking the frameworks ------------------------------------------------------------------------------------------

def checkout(tree, scratch):
    """A folder with the tree: itself, or what its git directory has at a revision."""
    path, _, revision = tree.partition('@')
    parts = ('megatron', 'src', 'deepspeed', 'torchtitan', 'pretrain_gpt.py', 'gpt_builders.py', 'hybrid_builders.py', 'model_provider.py', 'version.txt')
    if not revision and any(os.path.isdir(os.path.join(path, name)) for name in parts[:4]):
        return path
    folder = os.path.join(scratch, re.sub(r'\W+', '_', tree))
    os.makedirs(folder)
    there = subprocess.run(['git', '-C', path, 'ls-tree', '--name-only', revision or 'HEAD'], capture_output=True, text=True, check=True).stdout.split()
    packed = subprocess.run(['git', '-C', path, 'archive', revision or 'HEAD', *[name for name in parts if name in there]], capture_output=True).stdout
    subprocess.run(['tar', 'x', '-C', folder], input=packed, check=True)
    return folder


def ask(args, jobs, trees):
    """The answers, by id."""
    answers = {}
    for framework in sorted({job['framework'] for job in jobs}):
        mine = [job for job in jobs if job['framework'] == framework]
        if framework not in trees:
            print(f'{len(mine)} plans of {framework} are left out: no tree', file=sys.stderr)
            continue
        environment = {**os.environ, 'STARTS_TE': TE_OF.get(framework, '2.17.1'), 'PYTHONDONTWRITEBYTECODE': '1'}
        worker = [sys.executable, os.path.join(HERE, WORKERS[FORMAT_OF[framework]]), trees[framework]]
        ran = subprocess.run(worker, input=''.join(json.dumps(job) + '\n' for job in mine), capture_output=True, text=True, env=environment)
        if ran.returncode:
            sys.exit(f'{framework}: {ran.stderr[-2000:]}')
        answers.update({answer['id']: answer for answer in map(json.loads, ran.stdout.splitlines())})
    return answers


def short(message):
    """A message without the numbers and values of this plan, so that equal refusals count together."""
    message = re.sub(r'\b\d[\d.,]*\b', '#', message.split('\n')[0])
    return re.sub(r'\[[^\]]*\]|\{[^}]*\}|\([^)]*=[^)]*\)', '[..]', message)[:140]


def main():
    args = parse()
    cases = [case for name in args.cases for case in json.load(open(name)) if not args.only or args.only in case['name']]
    scratch = tempfile.mkdtemp(prefix='starts.')
    try:
        args.stand_ins = os.path.join(scratch, 'bin')
        make_stand_ins(args.stand_ins)
        given = {'megatron-core': args.tree, 'megatron-core-0.14': args.core_tree, 'nanotron': args.nanotron, 'deepspeed': args.deepspeed,
                 'fsdp2': args.torchtitan, 'fsdp2-2025': args.torchtitan}
        trees = {framework: checkout(tree, scratch) for framework, tree in given.items() if tree}
        sys.exit(run(args, cases, trees))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def run(args, cases, trees):
    jobs, bases, unexported = [], {}, []
    plans = [(kind, case['name'] + ' ' + name, words, case) for case in cases for source in
             [plans_of_search] * (not case.get('advice_only')) + [plans_of_advice] * bool(args.advice or case.get('advice'))
             for kind, name, words in source(args, case)]
    for framework in args.framework or (trees if args.random else []):
        plans += plans_at_random(args, framework)
    for kind, name, words, case in plans:
        framework = case.get('framework', 'megatron-core')
        job, why = exported(args, words, FORMAT_OF[framework])
        valid = job is not None
        if not valid and kind == 'random' and FORMAT_OF[framework] == 'megatron':
            job = flags_of_refused(args, case, bases)
        if job is None:
            unexported += [(kind, name, why)] * (kind != 'random')
            continue
        job.update(id=len(jobs), kind=kind, name=name, framework=framework, words=words, valid=valid, why=why or '', arch=arch_of(words))
        if args.repair or not valid:
            if 'argv' in job:
                repair(job)
        jobs.append(job)
    answers = ask(args, jobs, trees)
    jobs = [job for job in jobs if job['id'] in answers]
    for job in jobs:
        job['answer'] = answers[job['id']]
        job['back'] = returned(args, job['words'], FORMAT_OF[job['framework']]) if args.round_trip and job['valid'] else []
    if args.out:
        with open(args.out, 'w') as file:
            file.writelines(json.dumps({name: job[name] for name in ('kind', 'name', 'framework', 'words', 'valid', 'why', 'answer', 'back')}) + '\n' for job in jobs)
    return report(args, jobs, unexported)


def report(args, jobs, unexported):
    rows, refusals, classes, unused = {}, collections.Counter(), collections.defaultdict(collections.Counter), collections.Counter()
    for job in jobs:
        answer = job['answer']
        row = rows.setdefault((job['framework'], job['kind'], job['name'].split()[0] if job['kind'] != 'random' else 'random'), [0, 0, 0, 0])
        row[0] += 1
        row[1 if answer['starts'] else 3 if answer['starts'] is None else 2] += 1
        message = short(answer.get('message', '')) + (f'  [{answer.get("place")}]' if answer.get('place') else '')
        if job['valid'] and not answer['starts']:
            refusals[job['framework'], 'a stand-in gave out: ' * (answer['starts'] is None) + message] += 1
        rule = re.sub(r'[\d.]+', '#', (job['why'].split('\n') or [''])[0].replace('shardtop: ', ''))[:90]
        if job['kind'] == 'random' and answer['starts'] is not None:
            classes['valid' if job['valid'] else 'refused', 'accepted' if answer['starts'] else 'refused'][message if job['valid'] else rule] += 1
        for name in answer.get('changed') or []:
            if job['valid'] and not name.startswith('('):
                unused[job['framework'], name] += 1
        if args.list and job['valid'] and not answer['starts']:
            print(f'{job["framework"]} {job["name"]}: {answer.get("stage")}: {answer.get("message")}\n    {args.shardtop} export {" ".join(job["words"])} --to {FORMAT_OF[job["framework"]]}')
    print(f'{"framework":20} {"from":8} {"case":44} plans accepted refused unknown')
    for (framework, kind, name), row in sorted(rows.items()):
        print(f'{framework:20} {kind:8} {name[:44]:44} {row[0]:5} {row[1]:8} {row[2]:7} {row[3]:7}')
    valid = [job for job in jobs if job['valid']]
    taken = sum(bool(job['answer']['starts']) for job in valid)
    print(f'\nvalid plans: {len(valid)}, accepted {taken}, refused {sum(job["answer"]["starts"] is False for job in valid)}, '
          f'unknown {sum(job["answer"]["starts"] is None for job in valid)}; not exported: {len(unexported)}')
    for (framework, message), count in refusals.most_common():
        print(f'{count:6} {framework}: {message}')
    for (ours, theirs), counts in sorted(classes.items()):
        print(f'\nrandom: shardtop says {ours}, the framework {theirs}: {sum(counts.values())}')
        for text, count in counts.most_common(12) if (ours, theirs) != ('valid', 'accepted') else []:
            print(f'{count:6} {text}')
    if unused:
        print('\nset by the export, changed by the framework (warned or silent):')
        for (framework, name), count in unused.most_common(20):
            print(f'{count:6} {framework}: {name}')
    asked = collections.Counter((job['framework'], name) for job in valid for name in job['answer'].get('asks') or [])
    for (framework, name), count in asked.most_common():
        print(f'{count:6} {framework}: accepted, but says nothing about {name}, without which training does not begin')
    lost = collections.Counter((job['framework'], re.sub(r'[\d.]+', '#', line)) for job in jobs for line in job['back'])
    if args.round_trip:
        print(f'\nread again: {sum(not job["back"] for job in valid)} of {len(valid)} come back the same; what does not:')
        for (framework, line), count in lost.most_common(25):
            print(f'{count:6} {framework}: {line}')
    for _, name, why in unexported[:20]:
        print(f'not exported: {name}: {(why or "")[:120]}')
    return 0 if taken == len(valid) and valid and not unexported else 1 if any(job['answer']['starts'] is False for job in valid) else 2


if __name__ == '__main__':
    main()
