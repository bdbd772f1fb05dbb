#!/usr/bin/env python3
"""Checks what the compiler does not: the floors of the house, and the measures of its files.

    check_tidy.py ROOT          checks ROOT/src (and the width of the lines in ROOT/tests and ROOT/bench)
    check_tidy.py --self-test   proves on a small tree that every rule fires, and that clean code passes

Prints a line `path:line: rule: what is wrong` for each finding; exit status 1 when there is one.
Functions are found by their braces, not by a parser: text is reduced to code first (no comments, strings or macros, and
of `#if … #else` only the first branch), then every `{` is a scope (namespace, class), a function, or part of one.
"""

import pathlib
import re
import sys
import tempfile

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 70  # between the line of the opening brace and that of the closing one
COLUMNS_MAX = 120
GIT2_FOLDERS = {"repo"}
FILESYSTEM_FOLDERS = {"cli", "repo"}

TOKEN = re.compile(
    r"""(?P<comment>//(?:[^\n\\]|\\.|\\\n)*|/\*.*?\*/)
      |(?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
      |(?P<string>"(?:[^"\\\n]|\\.)*")
      |(?P<word>[A-Za-z_]\w*|\d(?:'?[\w.])*)
      |(?P<char>'(?:[^'\\\n]|\\.)+')""",
    re.VERBOSE | re.DOTALL,
)


def blank(text):
    """Keeps only the line ends, so that line numbers stay."""
    return "\n" * text.count("\n")


def without_comments(text):
    return TOKEN.sub(lambda m: " " + blank(m.group()) if m.group("comment") else m.group(), text)


def without_strings(text):
    def reduce(match):
        if match.group("raw") or match.group("string"):
            return '""' + blank(match.group())
        return "' '" if match.group("char") else match.group()

    return TOKEN.sub(reduce, text)


def without_directives(code):
    """Drops preprocessor lines, and every branch of a conditional but the first."""
    lines, skipping, continued = [], [], False
    for line in code.split("\n"):
        directive = continued or line.lstrip().startswith("#")
        if directive and not continued:
            name = re.match(r"\s*#\s*(\w*)", line).group(1)
            if name.startswith("if"):
                skipping.append(False)
            elif name.startswith("el") and skipping:
                skipping[-1] = True
            elif name == "endif" and skipping:
                skipping.pop()
        continued = directive and line.endswith("\\")
        lines.append("" if directive or any(skipping) else line)
    return "\n".join(lines)


def strip_angles(header):
    """`template <class T> void f()` becomes `void f()`."""
    while (match := re.match(r"\s*template\s*<", header)) is not None:
        depth, at = 1, match.end()
        while at < len(header) and depth > 0:
            depth += {"<": 1, ">": -1}.get(header[at], 0)
            at += 1
        header = header[at:]
    return header


def opens_function(header):
    """Whether the `{` after `header`, met in a namespace or class, begins the body of a function."""
    header = re.sub(r"\[\[.*?\]\]|\b(alignas|__attribute__)\s*\(+[^()]*\)+", " ", strip_angles(header), flags=re.DOTALL)
    header = re.sub(r"^(\s*(public|protected|private)\s*:)+", "", header).strip()
    if re.match(r"(inline\s+)?namespace\b|extern\s*\"\"\s*$", header):
        return False
    if re.match(r"(typedef\s+)?(class|struct|union|enum)\b", header):
        return "(" in re.split(r"(?<!:):(?!:)", header)[0]
    return header == "" or header.startswith(",") or ("(" in header and not header.endswith("="))


def functions(code):
    """Yields (first line, lines of the body, header) of each function; raises ValueError if braces do not pair."""
    stack = []  # (kind, line, header)
    header, line, inside = [], 1, 0
    for character in code:
        if character == "\n":
            line += 1
        if character == "{":
            text = "".join(header)
            kind = "function" if inside == 0 and opens_function(text) else "scope" if inside == 0 else "part"
            if kind == "scope" and not re.search(r"\b(namespace|class|struct|union|enum|extern)\b", text):
                kind = "part"  # the braces of an initial value
            inside += kind != "scope"
            stack.append((kind, line, " ".join(text.split())))
            header = []
        elif character == "}":
            if not stack:
                raise ValueError(f"line {line}: a brace too many")
            kind, first, text = stack.pop()
            inside -= kind != "scope"
            if kind == "function":
                yield first, line - first - 1, text
            header = []
        elif character == ";" and inside == 0:
            header = []
        elif inside == 0:
            header.append(character)
    if stack:
        raise ValueError(f"line {stack[-1][1]}: a brace that is not closed")


def read_floors(root):
    """{folder: number of its floor}, from the ground up."""
    floors = {}
    lines = (root / "src" / "floors.txt").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(line for line in lines if line.strip() and not line.startswith("#")):
        floors.update(dict.fromkeys(line.split(), number))
    return floors


class Checker:
    def __init__(self, root):
        self.root = root
        self.floors = read_floors(root)
        self.findings = []

    def report(self, path, line, rule, text):
        self.findings.append(f"{path.relative_to(self.root)}:{line}: {rule}: {text}")

    def check_includes(self, path, folder, code):
        for number, line in enumerate(code.split("\n"), 1):
            match = re.match(r"\s*#\s*include\s*([<\"])([^>\"]*)[>\"]", line)
            if not match:
                continue
            quote, name = match.groups()
            if re.match(r"git2(\.h$|/)", name) and folder not in GIT2_FOLDERS:
                self.report(path, number, "git2", f"<{name}> belongs in repo/ only")
            if quote == "<":
                continue
            other = name.split("/")[0] if "/" in name else None
            if other not in self.floors:
                self.report(path, number, "include", f'"{name}" does not begin with a folder that src/floors.txt names')
            elif other != folder and self.floors[other] == self.floors[folder]:
                self.report(path, number, "floors", f'"{name}" runs sideways: {folder} and {other} are peers')
            elif self.floors[other] > self.floors[folder]:
                self.report(path, number, "floors", f'"{name}" runs upwards: {other} stands above {folder}')

    def check_functions(self, path, code):
        try:
            for first, lines, header in functions(without_directives(code)):
                if lines > FUNCTION_LINES_MAX:
                    name = header[:60] or "function"
                    self.report(path, first, "function", f"`{name}` has {lines} lines, at most {FUNCTION_LINES_MAX}")
        except ValueError as error:
            self.report(path, 1, "braces", f"cannot measure functions: {error}")

    def check_width(self, path, text):
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > COLUMNS_MAX:
                self.report(path, number, "width", f"{len(line)} columns, at most {COLUMNS_MAX}")

    def check_header(self, path, text):
        if not re.search(r"^#pragma once$", text, re.MULTILINE):
            self.report(path, 1, "pragma", "a header needs `#pragma once`")
        if not text.lstrip().startswith(("//", "/*")):
            self.report(path, 1, "contract", "a header opens with a comment that says what it promises")

    def check_source(self, path, folder):
        text = path.read_text(encoding="utf-8")
        lines = text.count("\n")
        if lines > FILE_LINES_MAX:
            self.report(path, lines, "length", f"{lines} lines, at most {FILE_LINES_MAX}")
        self.check_width(path, text)
        if path.suffix == ".h":
            self.check_header(path, text)
        code = without_comments(text)
        self.check_includes(path, folder, code)
        code = without_strings(code)
        if folder not in FILESYSTEM_FOLDERS:
            for match in re.finditer(r"std::filesystem\b|#\s*include\s*<filesystem>", code):
                self.report(path, code.count("\n", 0, match.start()) + 1, "filesystem", "belongs in cli/ and repo/ only")
        self.check_functions(path, code)

    def check(self):
        sources = sorted(p for p in (self.root / "src").rglob("*") if p.suffix in (".h", ".cc"))
        for path in sources:
            folder = path.relative_to(self.root / "src").parts[0]
            if folder in self.floors:
                self.check_source(path, folder)
            else:
                self.report(path, 1, "floors", f"src/floors.txt does not name the folder '{folder}'")
        for other in ("tests", "bench"):
            for path in sorted(p for p in (self.root / other).rglob("*") if p.suffix in (".h", ".cc")):
                self.check_width(path, path.read_text(encoding="utf-8"))
        return len(sources)


CONTRACT = "// A room.\n#pragma once\n"
LONG_BODY = "  step();\n" * (FUNCTION_LINES_MAX + 1)

# Each file breaks just the rule named; the last ones break none.
FIXTURE = {
    "low/up.cc": ('#include "high/a.h"\n', ["floors"]),
    "left/side.cc": ('#include "right/a.h"\n', ["floors"]),
    "attic/lost.cc": ("int a;\n", ["floors"]),
    "low/bare.cc": ('#include "a.h"\n', ["include"]),
    "low/git.cc": ("#include <git2.h>\n", ["git2"]),
    "low/git_part.cc": ("#include <git2/oid.h>\n", ["git2"]),
    "low/path.cc": ("bool f() { return std::filesystem::exists(x); }\n", ["filesystem"]),
    "low/path_include.cc": ("#include <filesystem>\n", ["filesystem"]),
    "low/long.cc": ("int a;\n" * (FILE_LINES_MAX + 1), ["length"]),
    "low/wide.cc": ("// " + "x" * COLUMNS_MAX + "\n", ["width"]),
    "low/twice.h": ("// A room.\nint f();\n", ["pragma"]),
    "low/silent.h": ("#pragma once\nint f();\n", ["contract"]),
    "low/open.cc": ("void f() {\n", ["braces"]),
    "low/function.cc": ("namespace n {\nvoid f() {\n" + LONG_BODY + "}\n}\n", ["function"]),
    "low/method.h": (CONTRACT + "class A : B<int()> {\n public:\n  void f() const {\n" + LONG_BODY + "}\n};\n", ["function"]),
    "low/constructor.cc": ("A::A() : a_{1}, b_{2} {\n" + LONG_BODY + "}\n", ["function"]),
    "low/template.cc": ("template <class T, class U = X<T>>\nstruct Y f(T) {\n" + LONG_BODY + "}\n", ["function"]),
    "low/test.cc": ("TEST(A, B) {\n  auto f = [&](int x) { return x; };\n" + LONG_BODY + "}\n", ["function"]),
    "low/fits.cc": ("void f() {\n" + "  step();\n" * FUNCTION_LINES_MAX + "}\n", []),
    "low/class.h": (CONTRACT + "struct [[nodiscard]] A final : B {\n" + "  int f() { return 1; }\n" * 99 + "};\n", []),
    "low/table.cc": ("const int table[] = {\n" + "  1,\n" * 99 + "};\nconst A b{\n" + "  1,\n" * 99 + "};\n", []),
    "low/text.cc": ("auto a = \"{\"; auto b = '{'; int c = 1'000; // {\nauto d = R\"x({ \" )x\"; /* { */ // std::filesystem\n", []),
    "low/branch.cc": ("#if A\nvoid f() {\n#else\nvoid g() {\n#endif\n}\n#define B {\n", []),
    "high/down.cc": ('#include <git2x.h>\n#include "high/b.h"\n#include "left/a.h"\n#include "low/a.h"\n', []),
    "repo/git.cc": ("#include <git2.h>\n#include <filesystem>\n", []),
}


def self_test():
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory)
        for name, (text, _) in FIXTURE.items():
            (root / "src" / name).parent.mkdir(parents=True, exist_ok=True)
            (root / "src" / name).write_text(text, encoding="utf-8")
        (root / "src" / "floors.txt").write_text("# floors\nlow\nrepo\nleft right\nhigh\n", encoding="utf-8")
        (root / "tests").mkdir()
        (root / "tests" / "wide_test.cc").write_text("x" * (COLUMNS_MAX + 1) + "\n", encoding="utf-8")
        checker = Checker(root)
        checker.check()
    found = {}
    for finding in checker.findings:
        path, _, rule, _ = finding.split(":", 3)
        found.setdefault(path, []).append(rule.strip())
    expected = {"src/" + name: rules for name, (_, rules) in FIXTURE.items() if rules}
    expected["tests/wide_test.cc"] = ["width"]
    for path in sorted(expected.keys() | found.keys()):
        if expected.get(path) != found.get(path):
            print(f"self-test: {path}: expected {expected.get(path)}, found {found.get(path)}")
    return 0 if found == expected else 1


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    checker = Checker(pathlib.Path(arguments[0]).resolve())
    count = checker.check()
    print("\n".join(checker.findings + [f"tidy: {count} files, {len(checker.findings)} findings"]))
    return 1 if checker.findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
