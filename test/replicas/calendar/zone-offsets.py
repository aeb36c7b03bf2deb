"""Reads time zones of iCalendar with python-dateutil: the offset in minutes of each zone at each moment, as JSON."""

import io
import json
import sys
from datetime import datetime, timezone

from dateutil.tz import tzical

asked = json.load(sys.stdin)


def offsets(lines):
    zone = tzical(io.StringIO("\n".join(lines))).get()
    for moment in asked["moments"]:
        at = datetime.fromtimestamp(moment / 1000, timezone.utc).astimezone(zone)
        yield at.utcoffset().total_seconds() / 60


print(json.dumps([list(offsets(lines)) for lines in asked["calendars"]]))
