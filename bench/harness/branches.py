"""A repository whose branches differ in some files of a tree, to be switched between."""

MORE = b"one more line, of another branch\n"
FEW = 250


def tree_files(data, source):
    """[(mode, id, path)] of the regular files of HEAD, in order."""
    found = []
    for record in data.run(data.git, "ls-tree", "-r", "-z", "HEAD", cwd=source).split(b"\0")[:-1]:
        head, path = record.split(b"\t", 1)
        mode, _, name = head.split()
        if mode.startswith(b"100"):
            found.append((mode, name, path))
    return found


def contents(data, source, names):
    """The blobs of these names, one after the other."""
    answer = data.run(data.git, "cat-file", "--batch", cwd=source, feed=b"\n".join(names) + b"\n")
    at = 0
    for _ in names:
        end = answer.index(b"\n", at)
        size = int(answer[at:end].split()[2])
        yield answer[end + 1:end + 1 + size]
        at = end + 1 + size + 1


def quoted(path):
    return b'"' + path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'


def branch(data, source, name, files):
    """The fast-import stream of a branch on top of main whose `files` have a line more."""
    yield b"commit refs/heads/%s\ncommitter bench <bench@example.com> %s\ndata 5\nother\nfrom refs/heads/main^0\n" % (
        name.encode(), data.env["GIT_COMMITTER_DATE"].encode())
    for (mode, _, path), text in zip(files, contents(data, source, [name for _, name, _ in files])):
        yield b"M %s inline %s\ndata %d\n%s\n" % (mode, quoted(path), len(text) + len(MORE), text + MORE)


def with_branches(data, tree):
    """Bare: `main` is the tree; `twentieth` differs from it in 5 % of the files, `few` in 250. One pack."""
    source = data.repository(tree)

    def make(path):
        data.run(data.git, "clone", "-q", "--bare", source, path, cwd=data.directory)
        files = tree_files(data, source)
        stream = [*branch(data, source, "twentieth", files[::20]),
                  *branch(data, source, "few", files[7::max(1, len(files) // FEW)][:FEW])]
        data.run(data.git, "fast-import", "--quiet", cwd=path, feed=b"".join(stream))
        data.run(data.git, "-c", "repack.writeBitmaps=false", "repack", "-q", "-a", "-d", cwd=path)

    return data.once(f"{tree}.branches.git", make)
