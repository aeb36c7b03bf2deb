/** The tools of the service's own MCP server, on the operations of this service. */
import { invalid, notACalendarUser } from "~/replicas/calendar/errors";
import { reading } from "~/replicas/calendar/mcp/reading";
import data from "~/replicas/calendar/mcp/vendor.tools.json";
import { writingTools } from "~/replicas/calendar/mcp/writing";
import { googleProfile } from "~/replicas/kit/google/tools";
import { NOBODY_HERE } from "~/replicas/members";

/** Of texts by their name. */
const LENGTHS = new Map([["description", 100_000]]);
const LENGTH_MAX = 10_000;

export const vendor = googleProfile({
  summary: "The 9 tools of the vendor's own server, as captured until 2026-11-24",
  example: {
    name: "list_calendars",
    arguments: {},
    text: JSON.stringify({
      calendars: [
        {
          ...{ id: "agent@acme.test", summary: "Agent Smith", timeZone: "Europe/London" },
          ...{ accessRole: "owner", primary: true },
        },
        {
          ...{ id: "c_team@group.calendar.google.com", summary: "Team" },
          description: "Dates that concern all of us",
          ...{ timeZone: "Europe/London", accessRole: "owner" },
        },
      ],
    }),
  },
  serverInfo: { name: "Calendar MCP", version: "1.0.0" },
  listing: data.tools,
  tools: { ...reading, ...writingTools },
  lengthOf: (name) => LENGTHS.get(name) ?? LENGTH_MAX,
  callOf({ session, actor, baseUrl }) {
    if (actor === NOBODY_HERE) throw notACalendarUser();
    return { session, userId: actor, ifMatch: null, baseUrl };
  },
  invalidValue: () => invalid("Invalid Value"),
});
