"""agree_async.py -- a row of agree_async.sh from the result of a live run.

    agree_async.py RESULT.json WORKERS SERVERS MBIT RULE FACTOR
"""
import json
import sys


def find(value, key):
    """The first member of this name, however deep."""
    if isinstance(value, dict):
        if key in value:
            return value[key]
        value = list(value.values())
    for part in value if isinstance(value, list) else []:
        found = find(part, key)
        if found is not None:
            return found
    return None


def main(path, *words):
    with open(path, encoding="utf-8") as file:
        live = find(json.load(file), "live")
    predicted, measured = live["predicted"]["total_s"], live["measured"]["total_s"]
    updates = {who: live["staleness"][who]["mean_updates"] for who in ("predicted", "measured")}
    print(",".join(words) + f",{1e3 * predicted:.1f},{1e3 * measured:.1f},"
          f"{100 * (predicted / measured - 1):.1f},{updates['predicted']:.2f},{updates['measured']:.2f},"
          f"{100 * (updates['predicted'] / updates['measured'] - 1):.1f},{live['staleness']['distance']:.2f}")


main(*sys.argv[1:])
