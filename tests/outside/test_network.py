"""What is started for a run listens on this machine only."""

import os
import subprocess
import sys
from ipaddress import ip_address
from pathlib import Path

import polars as pl
import pytest

# At the end of its work, while all processes are still there, the program writes where they listen.
SCRIPT = """
import importlib, sys
from pathlib import Path
import psutil
from tallymark.__main__ import run

def noted(end):
    def ended(*arguments, **options):
        if Path("sockets").exists():
            return end(*arguments, **options)
        me = psutil.Process()
        sockets = [(each.name(), connection.laddr.ip)
                   for each in [me, *me.children(recursive=True)]
                   for connection in each.net_connections("inet") if connection.status == "LISTEN"]
        Path("sockets").write_text("".join(f"{name} {ip}\\n" for name, ip in sockets))
        return end(*arguments, **options)
    return ended

if __name__ == "__main__":
    module, owner, end = sys.argv.pop(1).split()
    owner = getattr(importlib.import_module(module), owner)
    setattr(owner, end, noted(getattr(owner, end)))
    sys.exit(run())
"""
DASK = "distributed Client close"
SPARK = "pyspark.sql SparkSession stop"


def addresses(folder: Path, end: str, engine: str, **environment: str) -> list[tuple[str, str]]:
    """The listening sockets of `evaluate --engine ENGINE` and its children: a process and an address each."""
    pl.DataFrame({"y": [0, 1, 1, 0], "s": [0.1, 0.9, 0.4, 0.3]}).write_parquet(folder / "rows.parquet")
    (folder / "script.py").write_text(SCRIPT)
    arguments = ["evaluate", "rows.parquet", "--actual", "y", "--score", "s", "--engine", engine]
    subprocess.run(
        [sys.executable, "script.py", end, *arguments],
        cwd=folder, env={**os.environ, **environment}, check=True, stdout=subprocess.DEVNULL, timeout=300,
    )  # fmt: skip
    lines = (folder / "sockets").read_text().splitlines()
    return [(name, ip) for name, _, ip in (line.partition(" ") for line in lines)]


def is_local(address: str) -> bool:
    found = ip_address(address)
    return (getattr(found, "ipv4_mapped", None) or found).is_loopback


def test_a_cluster_of_dask(tmp_path: Path) -> None:
    found = addresses(tmp_path, DASK, "dask")
    assert len(found) >= 4  # scheduler, its pages, a nanny and its worker
    assert [each for each in found if not is_local(each[1])] == []


def test_local_spark(tmp_path: Path) -> None:
    # Where the environment says otherwise as well; without it Spark takes the address that we give.
    quickly = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # how Java starts in little time
    found = addresses(tmp_path, SPARK, "spark", SPARK_LOCAL_IP="0.0.0.0", SPARK_SUBMIT_OPTS=quickly)
    assert [name for name, _ in found].count("java") >= 3  # gateway, driver, block manager
    assert [each for each in found if not is_local(each[1])] == []


@pytest.mark.thorough
def test_an_address_in_the_configuration_of_spark_is_kept(tmp_path: Path) -> None:
    (tmp_path / "spark-defaults.conf").write_text("spark.driver.bindAddress 0.0.0.0\n")
    found = addresses(tmp_path, SPARK, "spark", SPARK_CONF_DIR=str(tmp_path))
    assert [each for each in found if not is_local(each[1])] != []
