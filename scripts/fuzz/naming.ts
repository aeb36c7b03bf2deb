/** Calls that name a user in addition to the credential, in every place where either is read. */
import fc, { type Arbitrary } from "fast-check";
import { type Call, FORM_TYPE, type Headings, JSON_TYPE } from "./calls";
import { place } from "./world";

type Service = "chat" | "tracker";

const KEY = place("key", "own", 0);
const tokenOf = (service: Service) => place(`${service}Token`, "own", 0);

/** Valid credentials of the environment, and an invalid one. */
const credentialOf = (service: Service): Arbitrary<string> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(tokenOf(service)) },
    { weight: 1, arbitrary: fc.constant(KEY) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        place(`${service}Token`, "foreign", 0),
        tokenOf(service === "chat" ? "tracker" : "chat"),
        place("key", "foreign", 0),
      ),
    },
  );

const TRACKER_NOBODY = "b0000000-0000-4000-8000-0000000000ff";
const aUser = fc.nat(20).map((index) => place("user", "own", index));

/** Values that name a user of a service, and similar ones that do not. */
const NAMES: Readonly<Record<Service, Arbitrary<string>>> = {
  chat: fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom("xoxp-U02JOHNADOE", "xoxb-U02JOHNADOE", "xoxp-U03ROBINRAY"),
    },
    { weight: 2, arbitrary: aUser.map((user) => `xoxp-${user}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "xoxp-U99NOBODY",
        "XOXP-U02JOHNADOE",
        "xoxp-u02john",
        "U02JOHNADOE",
        "xoxb-1-2-x",
      ),
    },
  ),
  tracker: fc.oneof(
    { weight: 4, arbitrary: fc.constant(place("user", "other", 0)) },
    { weight: 2, arbitrary: aUser },
    {
      weight: 1,
      arbitrary: fc.constantFrom(TRACKER_NOBODY, "lin_api_any", "maria.santos@kestrel.test"),
    },
  ),
};

type Named = { readonly call: Call; readonly credential: string; readonly name: string };

const withHeaders = (call: Call, ...headers: Headings): Call => ({ ...call, headers });
const withToken = (call: Call, token: string): Call => ({
  ...call,
  path: `${call.path}${call.path.includes("?") ? "&" : "?"}token=${token}`,
});

/** Puts tokens at the start of the body; a reader may take the first or the last. */
function withArgument(call: Call, ...tokens: string[]): Call {
  const { type = "", body = "" } = call;
  if (type === FORM_TYPE)
    return { ...call, body: [...tokens.map((token) => `token=${token}`), body].join("&") };
  const inside = /^\{(.*)\}$/s.exec(body)?.[1];
  if (type !== JSON_TYPE || inside === undefined) return call;
  const fields = [...tokens.map((token) => `"token":"${token}"`), ...(inside ? [inside] : [])];
  return { ...call, body: `{${fields.join()}}` };
}

const WAYS: readonly ((named: Named) => Call)[] = [
  ({ call, credential, name }) =>
    withHeaders(call, ["X-API-Key", credential], ["Authorization", `Bearer ${name}`]),
  ({ call, credential, name }) =>
    withHeaders(call, ["X-API-Key", credential], ["Authorization", name]),
  ({ call, credential, name }) =>
    withHeaders(call, ["X-API-Key", credential], ["Authorization", `bearer  Bearer ${name}`]),
  ({ call, credential, name }) =>
    withHeaders(call, ["X-API-Key", name], ["Authorization", `Bearer ${credential}`]),
  ({ call, credential, name }) => withHeaders(call, ["X-API-Key", `${credential}, ${name}`]),
  ({ call, credential, name }) =>
    withHeaders(call, ["Authorization", `Bearer ${credential}, Bearer ${name}`]),
  ({ call, credential, name }) => withToken(withHeaders(call, ["Authorization", name]), credential),
  ({ call, credential, name }) =>
    withToken(withHeaders(call, ["Authorization", `Bearer ${credential}`]), name),
  ({ call, credential, name }) =>
    withToken(withToken(withHeaders(call, ["X-API-Key", credential]), credential), name),
  ({ call, credential, name }) => withArgument(withHeaders(call, ["X-API-Key", credential]), name),
  ({ call, credential, name }) =>
    withArgument(withHeaders(call, ["Authorization", name]), credential),
  ({ call, credential, name }) =>
    withArgument(withHeaders(call, ["Authorization", `Bearer ${credential}`]), credential, name),
  ({ call, credential, name }) => withArgument(withToken(call, credential), name),
  ({ call, credential, name }) => withToken(withArgument(call, credential), name),
  ({ call, credential, name }) => withArgument(call, name, credential),
  ({ call, credential, name }) =>
    withHeaders(
      call,
      ["X-API-Key", credential],
      ["Authorization", `Bearer ${credential}`],
      ["Cookie", `d=${name}; token=${name}`],
      ["X-Slack-User", name],
      ["X-User-Id", name],
    ),
];

/** The same call, with a user in addition to the credential. */
export const naming = (service: Service, calls: Arbitrary<Call>): Arbitrary<Call> =>
  fc
    .tuple(calls, credentialOf(service), NAMES[service], fc.constantFrom(...WAYS))
    .map(([call, credential, name, way]) => ({
      ...way({ call, credential, name }),
      caller: /^‹key/.test(credential) ? ("user" as const) : ("agent" as const),
    }));

const chatProbe = (method: string, body: object): Call => ({
  caller: "agent",
  method: "POST",
  path: `/api/env/${place("chatEnvironment", "own", 0)}/services/chat/${method}`,
  type: JSON_TYPE,
  body: JSON.stringify(body),
});
const PRIVATE_CHANNEL = place("privateChannel", "own", 0);

/** Calls whose answers or rows identify the caller. */
export const CHAT_PROBES: readonly Call[] = [
  chatProbe("auth.test", {}),
  chatProbe("chat.postMessage", { channel: "C01GENERAL", text: "by an agent" }),
  chatProbe("conversations.create", { name: "by-an-agent" }),
  chatProbe("conversations.history", { channel: PRIVATE_CHANNEL }),
  chatProbe("conversations.info", { channel: PRIVATE_CHANNEL }),
  chatProbe("conversations.list", { types: "im,mpim,private_channel" }),
  chatProbe("search.messages", { query: "private" }),
  chatProbe("chat.postMessage", { channel: PRIVATE_CHANNEL, text: "by an agent" }),
  { ...chatProbe("auth.test", {}), type: FORM_TYPE, body: "" },
  {
    ...chatProbe("chat.postMessage", {}),
    type: FORM_TYPE,
    body: "channel=C01GENERAL&text=by%20an%20agent",
  },
];

const trackerProbe = (query: string): Call => ({
  caller: "agent",
  method: "POST",
  path: `/api/env/${place("trackerEnvironment", "own", 0)}/services/tracker/graphql`,
  type: JSON_TYPE,
  body: JSON.stringify({ query }),
});
const PUBLIC_TEAM = "c0000000-0000-4000-8000-000000000011";
const PRIVATE_TEAM = place("privateTeam", "own", 0);

export const TRACKER_PROBES: readonly Call[] = [
  trackerProbe("{ viewer { id name email } }"),
  trackerProbe(`{ team(id: "${PRIVATE_TEAM}") { name issues { nodes { title } } } }`),
  trackerProbe("{ issues(first: 50) { nodes { id title creator { id } } } }"),
  trackerProbe('{ searchIssues(term: "private") { nodes { id title } } }'),
  trackerProbe(
    `mutation { issueCreate(input: { teamId: "${PUBLIC_TEAM}", title: "by an agent" }) { issue { id creator { id } } } }`,
  ),
  trackerProbe(
    'mutation { commentCreate(input: { issueId: "ENG-1", body: "by an agent" }) { comment { id user { id } } } }',
  ),
  trackerProbe(
    `mutation { issueCreate(input: { teamId: "${PRIVATE_TEAM}", title: "by an agent" }) { issue { id } } }`,
  ),
];
