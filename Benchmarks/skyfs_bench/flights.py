"""Parsing and rendering of a long answer of the flight service, in one process."""

import json
import pathlib
import re
import subprocess
import tempfile

from .report import Row

SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "Tests/FlightsTests/Documents/flights-sha-bjs-get.xml"
ROWS = 106


def _document():
    """The sample with its rows repeated; 106 is what the service once gave for a day."""
    text = SAMPLE.read_bytes().decode()
    rows = re.findall(r" *<AirlinesTime .*?</AirlinesTime>\r\n", text, re.DOTALL)
    start, end = text.index(rows[0]), text.index(rows[-1]) + len(rows[-1])
    return (text[:start] + "".join(rows[number % len(rows)] for number in range(ROWS)) + text[end:]).encode()


def flights(site, _):
    with tempfile.NamedTemporaryFile(prefix="skyfs-bench-", suffix=".xml") as file:
        file.write(_document())
        file.flush()
        program = site.program.with_name("FlightsBench")
        figures = json.loads(subprocess.check_output([program, file.name]))
    ratio = figures["rendered"] / figures["libxml2"]
    passed = figures["rows"] == ROWS and figures["rendered"] <= 5 and ratio <= 2
    yield Row(
        "106 flights parsed and shown: median of 100", "<= 5 ms, <= 2 x libxml2 walking the document",
        f"{figures['rendered']:.2f} ms, {ratio:.2f} x", passed,
        f"parsed only: {figures['read'] / figures['libxml2']:.2f} x")
