"""Room: numbers with their uncertainty: percentages and their intervals, quantiles, agreement, reliable depth.

It does not know what is counted.
"""

from pytest_llmarith.reports.statistics.agreement import kappa
from pytest_llmarith.reports.statistics.bootstrap import bootstrap_difference, bootstrap_mean
from pytest_llmarith.reports.statistics.clusters import Cluster, clustered_share, mean_difference, pass_at
from pytest_llmarith.reports.statistics.intervals import (
    CONFIDENCE,
    Interval,
    percent,
    two_sided_z,
    wilson,
)
from pytest_llmarith.reports.statistics.quantiles import (
    WIDE,
    median_of_decimals,
    median_of_floats,
    quantile_of_sorted,
)
from pytest_llmarith.reports.statistics.reliability import RELIABLE, Depth, ReliableDepth, reliable_depth, trials_needed
from pytest_llmarith.reports.statistics.stratified import Cell, Overall, overall

__all__ = [
    "CONFIDENCE",
    "RELIABLE",
    "WIDE",
    "Cell",
    "Cluster",
    "Depth",
    "Interval",
    "Overall",
    "ReliableDepth",
    "bootstrap_difference",
    "bootstrap_mean",
    "clustered_share",
    "kappa",
    "mean_difference",
    "median_of_decimals",
    "median_of_floats",
    "overall",
    "pass_at",
    "percent",
    "quantile_of_sorted",
    "reliable_depth",
    "trials_needed",
    "two_sided_z",
    "wilson",
]
