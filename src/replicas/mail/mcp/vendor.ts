/** The tools of the service's own MCP server, on the operations of this service. */
import { googleProfile } from "~/replicas/kit/google/tools";
import type { Arguments } from "~/replicas/kit/tool-arguments";
import { callOf } from "~/replicas/mail/calls";
import { invalidValue } from "~/replicas/mail/errors";
import { labelling } from "~/replicas/mail/mcp/labelling";
import { reading } from "~/replicas/mail/mcp/reading";
import data from "~/replicas/mail/mcp/vendor.tools.json";
import { writing } from "~/replicas/mail/mcp/writing";

/** Of texts by their name. A file has a limit of its own. */
const LENGTHS = new Map([
  ["content", Number.POSITIVE_INFINITY],
  ["body", 1_000_000],
  ["htmlBody", 1_000_000],
  ["forwardText", 1_000_000],
]);
const LENGTH_MAX = 10_000;

/** Views go by two names: `MINIMAL` and `THREAD_VIEW_MINIMAL`. */
const VIEW = /^(?:THREAD|DRAFT)_VIEW_(?!UNSPECIFIED$)/;
const withShortView = ({ view, ...args }: Arguments): Arguments => ({
  ...args,
  ...(view !== undefined && { view: typeof view === "string" ? view.replace(VIEW, "") : view }),
});

export const vendor = googleProfile({
  summary: "The 30 tools of the vendor's own server, as captured until 2026-11-24",
  example: {
    name: "create_label",
    arguments: { displayName: "Follow-up", colorPreset: "LABEL_COLOR_PRESET_BLUE" },
    text: JSON.stringify({
      ...{ labelId: "Label_3", name: "Follow-up" },
      color: { backgroundColor: "#4a86e8", textColor: "#ffffff" },
      ...{ messagesTotal: 0, messagesUnread: 0, threadsTotal: 0, threadsUnread: 0 },
    }),
  },
  serverInfo: { name: "Gmail MCP", version: "1.0.0" },
  listing: data.tools,
  tools: { ...reading, ...writing, ...labelling },
  lengthOf: (name) => LENGTHS.get(name) ?? LENGTH_MAX,
  prepare: withShortView,
  callOf,
  invalidValue,
});
