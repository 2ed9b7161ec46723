#!/usr/bin/env python3
"""Changes one operator, constant or comparison of a formula of the core at a time and says which unit tests notice.

Works on a copy of the tree in build/mutate. A mutant counts when some figure of a valid plan changes by more than 0.1 %
(figures.c draws the plans). Unit tests of the core alone decide; screens and reports never do. With a log, a run that
was stopped goes on where it was, and a silent mutant of a run before is tried against the tests as they are now.
"""
import argparse, glob, hashlib, os, random, re, resource, shutil, subprocess, sys

HERE = 'build/mutate'
NO_FORMULAS = ['core/plan/param.def', 'core/plan/rule.def']
FORMULAS = ['core/*/*.def', 'core/plan/resolve.c', 'core/plan/split.c'] + [
    'core/estimate/%s.c' % n for n in ('comm', 'estimate', 'op', 'rank', 'schedule', 'serving', 'simulate', 'timing')]
FLAGS = ['-std=c11', '-O1', '-g0', '-fPIC', '-I.', '-I..', '-D_GNU_SOURCE', '-w']  # .. has marks.h
VERDICTS = ('noticed', 'silent', 'same', 'broken')
SITE = re.compile(r'(?<![\w.])(?P<number>\d+(?:\.\d+)?(?:e-?\d+)?)(?![\w.])'
                  r'|(?<=[\w)])(?P<times> ?[*/] ?)(?=[\w(])'
                  r'|(?<=[\w)])(?P<plus> [+-] )(?=[\w(])'
                  r'|\b(?P<bound>max|min)\('
                  r'| (?P<compare>>=|<=|>|<|==|!=) (?=[\w(-])')
SWAPS = {'*': '/', '/': '*', '+': '-', '-': '+', 'max': 'min', 'min': 'max',
         '>=': '>', '<=': '<', '>': '>=', '<': '<=', '==': '!=', '!=': '=='}
DECLARATIONS = re.compile(
    r'\s*(#|static (const|inline)\b.*[;{]$|enum\b|const char|for \(|/\*|\*|[a-z_ ]+\*?\w+\(.*\)$)')


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace',
                          **more)


def processor_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(command, plain_s):
    """
    (What the program did, seconds of the unchanged core). The first run is the unchanged core's; a later one may take ten
    times its seconds and is None after that. Seconds are the processor's own, so that other work on the machine does not count.
    """
    start, limit = processor_s(), int(10 * (plain_s if plain_s is not None else 60)) + 2
    done = run(command, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1)))
    took = processor_s() - start
    return done if took < limit else None, took if plain_s is None else plain_s


def write(path, text):
    with open(path, 'w') as out:
        out.write(text)


def outside_texts(text):
    """Which characters stand outside strings and comments."""
    free = [True] * len(text)
    for m in re.finditer(r'"(?:\\.|[^"\\])*"|/\*.*?\*/|//[^\n]*', text, re.S):
        free[m.start():m.end()] = [False] * (m.end() - m.start())
    return free


def sites(text):
    """Every (start, end, replacement) that makes a mutant of a file."""
    free, found = outside_texts(text), []
    for m in SITE.finditer(text):
        line = text[text.rfind('\n', 0, m.start()) + 1:text.find('\n', m.start())]
        if all(free[m.start():m.end()]) and not DECLARATIONS.match(line):
            found.append((m.start(m.lastgroup), m.end(m.lastgroup), swapped(m)))
    return found


def swapped(m):
    old = m.group(m.lastgroup)
    if m.lastgroup != 'number':
        return old.replace(old.strip(), SWAPS[old.strip()])
    return {'0': '1', '1': '2', '2': '1'}.get(old) or ('%g' % (2 * float(old)))


class Mutant:
    """One change of one file; its words, which have no line number, name it in a log of any later state of the file."""

    def __init__(self, path, text, start, end, new):
        self.path, self.line, self.text = path, text.count('\n', 0, start) + 1, text[:start] + new + text[end:]
        self.words = '%s: %s[%s -> %s]%s' % (path, text[max(0, start - 60):start].split('\n')[-1],
                                             text[start:end].strip(), new.strip(), text[end:end + 40].split('\n')[0])


def mutants(files, seed):
    """Every mutant of the files, shuffled: one that is still there keeps its place when a formula elsewhere changes."""
    found = []
    for path in files:
        text = open(path).read()
        found += [Mutant(path, text, *site) for site in sites(text)]
    return sorted(found, key=lambda m: hashlib.sha256(('%d %s' % (seed, m.words)).encode()).digest())


class Tree:
    """The copy, built once: a shared library of the core, and the tests linked to it."""

    def __init__(self):
        shutil.rmtree(HERE, ignore_errors=True)
        for part in ('core', 'tests/unit', 'tests/mutate'):
            shutil.copytree(part, HERE + '/' + part)
        for header in glob.glob('tests/*.h'):
            shutil.copy(header, HERE + '/tests')
        self.sources = sorted(os.path.relpath(f, HERE) for f in glob.glob(HERE + '/core/*/*.c'))
        self.plain, self.users, self.seconds = {}, {}, None
        self.compiler = os.environ.get('CC', 'cc')
        self.must(self.build(), 'the core does not build')
        self.must(self.link('tests/mutate/figures.c'), 'tests/mutate/figures.c does not build')
        self.tests = []
        for test in sorted(glob.glob('tests/unit/*.c')):
            if not re.search(r'"(src|ui)/', open(test).read()):
                self.must(self.link(test), test + ' does not build')
                self.tests.append(Test(os.path.abspath(HERE + '/' + test[:-2])))

    def must(self, fault, what):
        if fault:
            sys.exit('mutate: %s:\n%s' % (what, fault))

    def link(self, source):
        done = run([self.compiler, *FLAGS, source, '-o', source[:-2], '-L.', '-lcore',
                    '-Wl,-rpath,' + os.path.abspath(HERE), '-lcmocka', '-lm'], cwd=HERE)
        return done.returncode and done.stdout

    def build(self, path=None):
        """
        Compiles what includes a changed file, every source without one, where its preprocessed text is another than the
        unchanged tree's, and links the library; returns the compiler's words on failure.
        """
        changed = []
        for source in self.users[path] if path else self.sources:
            plain = run([self.compiler, *FLAGS, '-E', '-P', '-MMD', '-MF', 'used', source], cwd=HERE).stdout
            if not path:
                self.plain[source] = plain
                for used in open(HERE + '/used').read().replace('\\\n', ' ').split()[1:]:
                    self.users.setdefault(used, []).append(source)
            if not path or plain != self.plain[source]:
                changed.append(source)
        for source in changed:
            done = run([self.compiler, *FLAGS, '-c', source, '-o', self.object(source, path)], cwd=HERE)
            if done.returncode:
                return done.stdout
        objects = [self.object(s, s in changed and path) for s in self.sources]
        done = run([self.compiler, '-shared', '-o', 'libcore.so', *objects, '-lm'], cwd=HERE)
        return done.returncode and done.stdout

    def object(self, source, is_changed):
        return source[:-2] + ('.changed.o' if is_changed else '.o')

    def figures(self, verb):
        """(relative change of a figure, where) of the first plan that differs by more than 0.1 %."""
        done, self.seconds = timed([HERE + '/tests/mutate/figures', verb, HERE + '/figures'], self.seconds)
        if not done:
            return 2, 'the estimate does not end'
        if done.returncode:
            return 2, 'the estimate fails'
        share, rest = done.stdout.splitlines()[-1].split(' ', 1)
        return float(share), rest


class Test:
    def __init__(self, program):
        self.program, self.name, self.seconds, self.kills = program, os.path.basename(program), None, 0

    def notices(self):
        done, self.seconds = timed([self.program], self.seconds)
        if not done:
            return 'does not end'
        names = re.findall(r'\[  FAILED  \] (\w+)\n', done.stdout)
        return done.returncode and (names[0] if names else 'fails')


def first_to_notice(tests):
    """The tests that noticed most for their time come first."""
    for test in sorted(tests, key=lambda t: -(t.kills + 1) / (t.seconds + 0.05)):
        how = test.notices()
        if how:
            test.kills += 1
            return test.name + ': ' + how
    return None


def judged(tree, mutant):
    """(one of VERDICTS, what noticed it or where it shows) of a mutant; the copy is as it was afterwards."""
    plain = open(HERE + '/' + mutant.path).read()
    write(HERE + '/' + mutant.path, mutant.text)
    try:
        if tree.build(mutant.path):
            return 'broken', 'does not build'
        share, where = tree.figures('compare')
        if share <= 1e-3:
            return 'same', 'no figure changes'
        how = first_to_notice(tree.tests)
        return ('noticed', how) if how else ('silent', 'nothing notices: ' + where)
    finally:
        write(HERE + '/' + mutant.path, plain)


def known(path):
    """{words: (verdict, why)} of a log; a silent mutant is judged anew."""
    lines = open(path).read().splitlines() if path and os.path.exists(path) else []
    rows = [line.split('\t') for line in lines]
    return {row[1]: (row[0], row[2]) for row in rows if len(row) == 3 and row[0] != 'silent'}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('--count', type=int, default=30, help='mutants that change a figure (30)')
    options.add_argument('--seed', type=int, default=1, help='which mutants (1)')
    options.add_argument('--file', help='change this file only')
    options.add_argument('--floor', type=float, default=0, help='fail when fewer than this many %% are noticed')
    options.add_argument('--log', help='keep what came of each mutant there, and go on after what it holds')
    given = options.parse_args()
    tree, before, counts = Tree(), known(given.log), dict.fromkeys(VERDICTS, 0)
    tree.figures('write')
    for test in tree.tests:
        if test.notices():
            sys.exit('mutate: %s fails already' % test.name)
    files = [given.file] if given.file else sorted(set(sum((glob.glob(p) for p in FORMULAS), [])) - set(NO_FORMULAS))
    log = open(given.log, 'a') if given.log else None
    for mutant in mutants(files, given.seed):
        if counts['noticed'] + counts['silent'] >= given.count:
            break
        verdict, why = before.get(mutant.words) or judged(tree, mutant)
        counts[verdict] += 1
        if verdict == 'silent':
            print('%s (line %d)\n    %s' % (mutant.words, mutant.line, why), flush=True)
        if log and mutant.words not in before:
            print(verdict, mutant.words, why.replace('\n', ' '), sep='\t', file=log, flush=True)
    counted = counts['noticed'] + counts['silent']
    share = 100.0 * counts['noticed'] / counted if counted else 100.0
    print('mutate: %d of %d changes of a formula noticed (%.1f %%); %d more change no figure by 0.1 %%, '
          '%d do not build (seed %d)'
          % (counts['noticed'], counted, share, counts['same'], counts['broken'], given.seed))
    return share < given.floor


if __name__ == '__main__':
    sys.exit(main())
