/** Video conferences of events. They are created together with the request. */
import { createHash } from "node:crypto";
import { isObject } from "~/input/json";
import { invalid } from "~/replicas/calendar/errors";
import { hexOf, type Source } from "~/source";

const MEET = "hangoutsMeet";

type Request = {
  readonly requestId?: string;
  readonly conferenceSolutionKey?: { readonly type?: string };
};

const CONFERENCE = /^(.{3})(.{4})(.{3})$/;

function newConference(request: Request, source: Source): object {
  const letters = [...createHash("sha256").update(hexOf(source, 16)).digest()]
    .slice(0, 10)
    .map((byte) => String.fromCharCode(97 + (byte % 26)))
    .join("");
  const id = letters.replace(CONFERENCE, "$1-$2-$3");
  const key = { type: MEET };
  return {
    createRequest: {
      requestId: request.requestId ?? "",
      conferenceSolutionKey: key,
      status: { statusCode: "success" },
    },
    entryPoints: [
      {
        entryPointType: "video",
        uri: `https://meet.google.com/${id}`,
        label: `meet.google.com/${id}`,
      },
    ],
    conferenceSolution: {
      key,
      name: "Google Meet",
      iconUri:
        "https://fonts.gstatic.com/s/i/productlogos/meet_2020q4/v6/web-512dp/logo_meet_2020q4_color_2x_web_512dp.png",
    },
    conferenceId: id,
    signature: hexOf(source, 14),
  };
}

/** The conference of an event that a client has sent. `before`: the one that the event has. */
export function readConference(
  given: Readonly<Record<string, unknown>> | null | undefined,
  before: unknown,
  source: Source,
): object | null {
  if (!given || Object.keys(given).length === 0) return null;
  const { createRequest: request } = given as { readonly createRequest?: Request };
  if (!request || Array.isArray(given["entryPoints"])) return given;
  const type = request.conferenceSolutionKey?.type ?? MEET;
  if (type !== MEET) throw invalid("Invalid conference type value.");
  const known = isObject(before) ? (before["createRequest"] as Request | undefined) : undefined;
  if (isObject(before) && known?.requestId === request.requestId) return before;
  return newConference(request, source);
}
