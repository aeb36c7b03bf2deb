"""Expands series with python-dateutil: a line of JSON in, a line of instants in milliseconds out; null if it takes too long."""

import json
import signal
import sys
from datetime import datetime, timedelta, timezone
from itertools import islice, takewhile
from zoneinfo import ZoneInfo

from dateutil.rrule import rruleset, rrulestr

SECONDS_MAX = 0.1
END = datetime(2037, 1, 1)
WALLS = 80


class TooLong(Exception):
    pass


def stop(*_):
    raise TooLong


def instant(wall, zone):
    """Zones of Python move a time in a gap forward, and take the first of a repeated hour (fold=0)."""
    return int(wall.replace(tzinfo=zone).astimezone(timezone.utc).timestamp() * 1000)


def expand(series):
    zone = ZoneInfo(series["zone"])
    start = datetime.fromisoformat(series["start"])
    rule = rruleset()
    rule.rrule(rrulestr(series["rule"], dtstart=start))
    # The start counts, even if the rule does not produce it.
    rule.rdate(start)
    walls = list(islice(rule, min(series.get("count") or WALLS, WALLS)))
    isEnded = len(walls) < WALLS
    last = END if isEnded else min(END, walls[-1] - timedelta(days=2))
    walls += [datetime.fromisoformat(date) for date in series["dates"]]
    excluded = [datetime.fromisoformat(date) for date in series["excludedDates"]]
    if series.get("excludedRule"):
        within = lambda wall: wall < min(last, max(walls)) + timedelta(days=2)
        excluded += takewhile(within, rrulestr(series["excludedRule"], dtstart=start))
    until = series.get("until")
    kept = {instant(wall, zone) for wall in walls if wall < last} - {
        instant(wall, zone) for wall in excluded
    }
    isKept = lambda ms: until is None or ms <= until or ms in {instant(w, zone) for w in explicit}
    explicit = [start, *map(datetime.fromisoformat, series["dates"])]
    return {"instants": sorted(filter(isKept, kept)), "before": instant(last, zone)}


def answer(line):
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS_MAX)
        try:
            return expand(json.loads(line))
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except TooLong:
        return None
    except ValueError as error:
        return {"error": str(error)}


signal.signal(signal.SIGVTALRM, stop)
for line in sys.stdin:
    print(json.dumps(answer(line)))
