"""Cost in proportion to the work: small trees, small packs, and starting up."""

from harness.data import dense_files, mixed_tree
from harness.runner import Test, Variant
from suites import clone

MEGABYTE = 1 << 20
SHORT_REPEATS = 4  # times --runs, where a run takes milliseconds


def clone_test(bench, name, repository, repeats=1, space=512 * MEGABYTE):
    bench.data.warm(repository)
    return Test(name, clone.variants(bench, repository), repeats=repeats, space=space)


def tests(bench):
    version = [Variant("git", lambda _: [bench.git, "--version"]), Variant("pfetch", lambda _: [bench.pfetch, "--version"])]
    found = [Test("--version", version, repeats=SHORT_REPEATS, space=64 * MEGABYTE)]
    for count in (1, 10, 100, 1_000) if bench.options.quick else (1, 10, 100, 1_000, 10_000):
        repository = bench.data.generated(f"files-{count}", lambda count=count: mixed_tree(count))
        name = f"clone --depth 1, {count:,} file" + ("s" if count > 1 else "")
        found.append(clone_test(bench, name, repository, repeats=SHORT_REPEATS if count <= 1000 else 1))
    for megabytes in (1, 10) if bench.options.quick else (1, 10, 100):
        repository = bench.data.generated(f"pack-{megabytes}", lambda megabytes=megabytes: dense_files(megabytes))
        found.append(clone_test(bench, f"clone --depth 1, pack of {megabytes} MB", repository, space=2048 * MEGABYTE,
                                repeats=SHORT_REPEATS if megabytes <= 10 else 1))
    return found
