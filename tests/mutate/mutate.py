#!/usr/bin/env python3
"""Changes one operator, constant or comparison of a formula of the core at a time and says which unit tests notice.

Works on a copy of the tree in build/mutate. A mutant counts when some figure of a valid plan changes by more than 0.1 %
(figures.c draws the plans). Unit tests of the core alone decide; screens and reports never do.
"""
import argparse, glob, os, random, re, resource, shutil, subprocess, sys

HERE = 'build/mutate'
NO_FORMULAS = ['core/plan/param.def', 'core/plan/rule.def']
FORMULAS = ['core/*/*.def', 'core/plan/resolve.c', 'core/plan/split.c'] + [
    'core/estimate/%s.c' % n for n in ('comm', 'estimate', 'op', 'rank', 'schedule', 'serving', 'simulate', 'timing')]
FLAGS = ['-std=c11', '-O1', '-g0', '-fPIC', '-I.', '-D_GNU_SOURCE', '-w']
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


class Tree:
    """The copy, built once: a shared library of the core, and the tests linked to it."""

    def __init__(self, root):
        self.root = root
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
        Compiles what differs from the unchanged tree after preprocessing and links the library; returns the compiler's
        words on failure. The first change of a file finds the sources that it is compiled in; later ones look at those.
        """
        changed = []
        for source in self.users.get(path, self.sources):
            plain = run([self.compiler, *FLAGS, '-E', '-P', source], cwd=HERE).stdout
            if self.plain.setdefault(source, plain) != plain or not path:
                changed.append(source)
        if path:
            self.users.setdefault(path, changed)
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


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('--count', type=int, default=30, help='mutants that change a figure (30)')
    options.add_argument('--seed', type=int, default=1, help='which mutants (1)')
    options.add_argument('--file', help='change this file only')
    options.add_argument('--floor', type=float, default=0, help='fail when fewer than this many %% are noticed')
    options.add_argument('--log', help='write a line for each mutant there')
    given = options.parse_args()
    tree = Tree('.')
    tree.figures('write')
    for test in tree.tests:
        if test.notices():
            sys.exit('mutate: %s fails already' % test.name)
    files = [given.file] if given.file else sorted(set(sum((glob.glob(p) for p in FORMULAS), [])) - set(NO_FORMULAS))
    texts = {f: open(f).read() for f in files}
    mutants = [(f, *site) for f in files for site in sites(texts[f])]
    random.Random(given.seed).shuffle(mutants)
    counts = dict(broken=0, same=0, noticed=0, silent=0)
    log = open(given.log, 'w') if given.log else None
    for path, start, end, new in mutants:
        if counts['noticed'] + counts['silent'] >= given.count:
            break
        text = texts[path]
        write(HERE + '/' + path, text[:start] + new + text[end:])
        what = '%s:%d: %s[%s -> %s]%s' % (path, text.count('\n', 0, start) + 1,
                                          text[max(0, start - 40):start].split('\n')[-1], text[start:end].strip(),
                                          new.strip(), text[end:end + 30].split('\n')[0])
        if tree.build(path):
            verdict = 'broken'
        else:
            share, where = tree.figures('compare')
            if share <= 1e-3:
                verdict = 'same'
            else:
                how = first_to_notice(tree.tests)
                verdict = 'noticed' if how else 'silent'
                what += '\n    ' + (how or 'nothing notices: %s' % where)
        counts[verdict] += 1
        if verdict == 'silent':
            print(what, flush=True)
        if log:
            print(verdict, what, file=log, flush=True)
        write(HERE + '/' + path, text)
    counted = counts['noticed'] + counts['silent']
    share = 100.0 * counts['noticed'] / counted if counted else 100.0
    print('mutate: %d of %d changes of a formula noticed (%.1f %%); %d more change no figure by 0.1 %%, '
          '%d do not build (seed %d)'
          % (counts['noticed'], counted, share, counts['same'], counts['broken'], given.seed))
    return share < given.floor


if __name__ == '__main__':
    sys.exit(main())
