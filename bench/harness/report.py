"""The table in the manner of Git's perf suite, the same as JSON, and a plot of it."""

import datetime
import json
import os
import pathlib
import platform
import statistics

COLUMNS = ["git", "git tuned", "pfetch", "gix", "tar", "plain walk", "bitmaps"]
RATIOS = [("git", "pfetch"), ("git tuned", "pfetch"), ("gix", "pfetch"), ("pfetch", "tar"),
          ("plain walk", "bitmaps")]


def cpu_model():
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.machine()


def machine(bench):
    """What the numbers depend on, for the header and the JSON."""
    versions = {"pfetch": bench.ask(bench.pfetch, "--version").splitlines()[0].removeprefix("pfetch").strip(),
                "git": bench.ask(bench.git, "--version").removeprefix("git version ")}
    if bench.gix:
        versions["gix"] = bench.ask(bench.gix, "--version").split()[-1]
    return {"versions": versions, "file_system": bench.file_systems.describe(), "cores": len(os.sched_getaffinity(0)),
            "cpu": cpu_model(), "kernel": platform.release(), "runs": bench.options.runs,
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")}


def cell(variant, samples, value):
    return {"label": variant.label, "median": statistics.median(map(value, samples)),
            "user": statistics.median(sample.user for sample in samples),
            "sys": statistics.median(sample.sys for sample in samples),
            "samples": [round(value(sample), 4) for sample in samples]}


def make_rows(test, results):
    """A row for the time and one for each figure. Of several tuned variants the fastest stands for the column."""

    def elapsed(sample):
        return sample.elapsed

    chosen = {}
    for variant, samples in results:
        median = statistics.median(map(elapsed, samples))
        if variant.column not in chosen or median < chosen[variant.column][2]:
            chosen[variant.column] = (variant, samples, median)
    rows = []
    for name, unit, value in [(test.name, "s", elapsed)] + [(f"- {f.name}", f.unit, f.value) for f in test.figures]:
        cells = {column: cell(variant, samples, value) for column, (variant, samples, _) in chosen.items()}
        rows.append({"test": name, "of": test.name, "unit": unit, "time": value is elapsed, "cells": cells,
                     "runs": max(len(c["samples"]) for c in cells.values()), "ratios": ratios_of(cells)})
    return rows


def ratios_of(cells):
    return {f"{over}/{under}": round(cells[over]["median"] / cells[under]["median"], 3)
            for over, under in RATIOS if over in cells and under in cells and cells[under]["median"] > 0}


def number(value, unit):
    digits = 3 if unit == "s" and value < 1 else 0 if unit == "commits" or unit == "MB" and value >= 100 else 2
    return f"{value:.{digits}f}"


def cell_text(row, column):
    if column not in row["cells"]:
        return "-"
    c = row["cells"][column]
    if not row["time"]:
        return f"{number(c['median'], row['unit'])} {row['unit']}"
    label = f" {c['label']}" if c["label"] else ""
    return f"{number(c['median'], 's')}({number(c['user'], 's')}+{number(c['sys'], 's')}){label}"


def plural(count, noun):
    return f"{count} {noun}" + ("" if count == 1 else "s")


def header(info):
    versions = ", ".join(f"{name} {version}" for name, version in info["versions"].items())
    return (f"{versions}; {info['file_system']}; {plural(info['cores'], 'core')}, {info['cpu']}, "
            f"Linux {info['kernel']}; medians of {plural(info['runs'], 'run')}, interleaved; {info['date']}")


def table(suite, rows, info, notes):
    columns = [c for c in COLUMNS if any(c in row["cells"] for row in rows)]
    ratios = [f"{a}/{b}" for a, b in RATIOS if any(f"{a}/{b}" in row["ratios"] for row in rows)]
    lines = [["Test"] + columns + [name.replace("git tuned", "tuned") for name in ratios]]
    for row in rows:
        name = row["test"] if row["runs"] == info["runs"] or not row["time"] else f"{row['test']} ({row['runs']} runs)"
        lines.append([name] + [cell_text(row, c) for c in columns]
                     + [f"{row['ratios'][r]:.2f}" if r in row["ratios"] else "-" for r in ratios])
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    text = ["  ".join(word.ljust(width) for word, width in zip(line, widths)).rstrip() for line in lines]
    text.insert(1, "-" * max(map(len, text)))
    explanation = "Times are elapsed(user+sys) in seconds; user and sys include the server, which runs here too."
    return "\n".join([f"{suite}: {header(info)}", explanation, ""] + text + [f"note: {note}" for note in notes]) + "\n"


def plot(suite, rows, info, path):
    """A PNG of the times; returns a note when it cannot be drawn."""
    try:
        import matplotlib
    except ImportError:
        return "no plot: matplotlib is missing (scripts/deps bench)"
    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = [row for row in rows if row["unit"] == "s"]
    columns = [c for c in COLUMNS if any(c in row["cells"] for row in rows)]
    colors = {"git": "#9a9a9a", "git tuned": "#c8a060", "pfetch": "#2b6cb0", "gix": "#7a5195", "tar": "#d8d8d8",
              "plain walk": "#9a9a9a", "bitmaps": "#2b6cb0"}
    height = 0.5 + len(rows) * (0.5 + 0.26 * len(columns))
    figure, axes = pyplot.subplots(len(rows), 1, figsize=(8, height), squeeze=False)
    for axis, row in zip(axes[:, 0], rows):
        shown = [c for c in columns if c in row["cells"]]
        medians = [row["cells"][c]["median"] for c in shown]
        bars = axis.barh(shown, medians, color=[colors[c] for c in shown])
        axis.bar_label(bars, [f"{number(m, 's')} s" for m in medians], padding=3, fontsize=8)
        axis.set_title(row["test"] if row["time"] else f"{row['of']} {row['test']}", fontsize=9, loc="left")
        axis.set_xlim(0, max(medians) * 1.15)
        axis.invert_yaxis()
        axis.tick_params(labelsize=8)
        axis.spines[["top", "right"]].set_visible(False)
    versions = ", ".join(f"{name} {version}" for name, version in info["versions"].items())
    runs, cores = plural(info["runs"], "run"), plural(info["cores"], "core")
    axes[-1, 0].set_xlabel(f"seconds, medians of {runs}; {versions}; {cores}", fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": None})
    pyplot.close(figure)
    return None


def write(suite, rows, bench, out):
    """Writes SUITE.txt, .json and .png into `out`; returns the table."""
    info, notes = machine(bench), list(bench.notes)
    if bench.file_systems.note:
        notes.append(bench.file_systems.note)
    out.mkdir(parents=True, exist_ok=True)
    note = plot(suite, rows, info, out / f"{suite}.png")
    text = table(suite, rows, info, notes + ([note] if note else []))
    (out / f"{suite}.txt").write_text(text, encoding="utf-8")
    (out / f"{suite}.json").write_text(
        json.dumps({"suite": suite, "machine": info, "notes": notes, "rows": rows}, indent=1) + "\n", encoding="utf-8")
    return text
