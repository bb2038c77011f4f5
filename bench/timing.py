"""Times of commands that run at once."""
import ctypes
import math
import mmap
import os
import resource
import statistics
import subprocess
import sys
import time


def cpu_seconds():
    """CPU seconds of all commands that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def bound(words, core):
    """The command on a core of its own."""
    cores = sorted(os.sched_getaffinity(0))
    return ["taskset", "-c", str(cores[core % len(cores)]), *words]


TOUCHED = 512 << 20
HUGETLB = 0x40000  # MAP_HUGETLB of Linux
LARGE_PAGE = 2 << 20


def reserved_pages():
    """Large pages of 2 MiB that are reserved and free. Commands use them, if there are any: their memory is always there."""
    with open("/proc/meminfo", encoding="ascii") as file:
        values = dict(line.split(":") for line in file)
    alike = values.get("Hugepagesize", "").split()[:1] == [str(LARGE_PAGE >> 10)]
    return int(values["HugePages_Free"]) if alike else 0


def memory_line():
    pages = reserved_pages()
    return "memory: %s" % ("%d reserved large pages" % pages if pages else "no large pages are reserved")


def touch_memory():
    """Uses some memory for a moment. The host of a virtual machine takes back what was not used for a while, and the command
    that needs it next waits for the host: without this, two processes that ended at different times make that the next one."""
    pages = reserved_pages()
    size, more = (pages * LARGE_PAGE, HUGETLB) if pages else (TOUCHED, 0)
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | more)
    if not pages:
        memory.madvise(mmap.MADV_HUGEPAGE)  # which the system may not grant
    view = (ctypes.c_char * size).from_buffer(memory)
    if not pages:
        ctypes.memset(view, 1, size)
    for page in range(0, size if pages else 0, LARGE_PAGE):
        view[page] = 1
    del view
    memory.close()


def timed(commands, home=None, fine=(0,)):
    """Seconds until all commands, which run at once, have ended, and their CPU seconds. fine: exit statuses. Threads of a
    command stay on cores of their own: otherwise Linux moves them, at some hours both to one core for a while."""
    env = {**os.environ, "OMP_PROC_BIND": "true"}
    if reserved_pages():
        env.setdefault("GLIBC_TUNABLES", "glibc.malloc.hugetlb=2")
    touch_memory()
    begun, used = time.monotonic(), cpu_seconds()
    # sessions of their own, as mpirun gives ranks: Linux divides processor time between sessions
    running = [subprocess.Popen(words, cwd=home, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                start_new_session=True) for words in commands]
    if any([run.wait() not in fine for run in running]):
        sys.exit("failed: " + " & ".join(" ".join(words) for words in commands))
    return time.monotonic() - begun, cpu_seconds() - used


def median_interval(values):
    """The median of values, and the ends of an interval that has that of their distribution with a probability of 90 % or
    more: the largest and the smallest of fewer than 8 values. Of fewer than 5 it has less."""
    ordered, n = sorted(values), len(values)
    outside, inner = 0.0, 0
    for k in range(n // 2):
        outside += math.comb(n, k) / 2 ** n
        if 2 * outside > 0.1:
            break
        inner = k
    return statistics.median(ordered), ordered[inner], ordered[n - 1 - inner]
