/** Calls that only administrators make, with authority over the whole domain. People are rejected. */
import { type TProperties, Type } from "@sinclair/typebox";
import { invalid, MailError, Problem } from "~/replicas/mail/errors";
import { type MailCall, NO_CONTENT, operation } from "~/replicas/mail/operation";
import { AnyBody, Nothing } from "~/replicas/mail/settings-shapes";

const RESTRICTED =
  "Access restricted to service accounts that have been delegated domain-wide authority";

type Verb = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

const ID = Type.String({ description: "Of the object", examples: ["x"] });

type Rest = {
  readonly query?: TProperties;
  /** By default, what is created or changed has a body. */
  readonly hasBody?: boolean;
  /** By default, what is deleted. */
  readonly isEmpty?: boolean;
  /** Rejects for another reason first. */
  readonly check?: (path: Readonly<Record<string, string>>, call: MailCall) => void;
};

function restricted(name: string, verb: Verb, template: string, rest: Rest = {}) {
  const { query = {}, check } = rest;
  const { hasBody = verb !== "GET" && verb !== "DELETE", isEmpty = verb === "DELETE" } = rest;
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, each = ""]) => each);
  return operation(name, verb, template as string, {
    summary: `Rejected: ${name}`,
    description: "Only service accounts with authority over the domain may make this call.",
    path: Object.fromEntries(names.map((each) => [each, ID])),
    query,
    ...(hasBody && { body: AnyBody }),
    answers: { ...(isEmpty ? NO_CONTENT : { 200: Nothing, 400: Problem }), 403: Problem },
    async handle(args, call) {
      check?.(args.path as Readonly<Record<string, string>>, call);
      throw new MailError("forbidden", RESTRICTED);
    },
  });
}

const BARE: Rest = { hasBody: false, isEmpty: true };
const PAGES = {
  pageSize: Type.Optional(Type.Integer({ description: "Entries of a page" })),
  pageToken: Type.Optional(Type.String({ description: "The page" })),
};
const chainValidation = Type.Optional(Type.String({ description: "Of certificates" }));
const SEND_AS = "settings/sendAs/{sendAsEmail}";
const SMIME = `${SEND_AS}/smimeInfo`;
const CSE = "settings/cse";
const DELEGATES = "settings/delegates";
const FORWARDING = "settings/forwardingAddresses";

export const restrictedCalls = [
  restricted("settings.sendAs.create", "POST", "settings/sendAs"),
  restricted("settings.sendAs.delete", "DELETE", SEND_AS, {
    check({ sendAsEmail }, { mailbox }) {
      if (sendAsEmail?.toLowerCase() === mailbox) throw invalid("Cannot delete primary send-as");
    },
  }),
  restricted("settings.sendAs.verify", "POST", `${SEND_AS}/verify`, BARE),
  restricted("settings.updateAutoForwarding", "PUT", "settings/autoForwarding"),
  restricted("settings.forwardingAddresses.create", "POST", FORWARDING),
  restricted("settings.forwardingAddresses.delete", "DELETE", `${FORWARDING}/{forwardingEmail}`),
  restricted("settings.delegates.list", "GET", DELEGATES),
  restricted("settings.delegates.get", "GET", `${DELEGATES}/{delegateEmail}`),
  restricted("settings.delegates.create", "POST", DELEGATES),
  restricted("settings.delegates.delete", "DELETE", `${DELEGATES}/{delegateEmail}`),
  restricted("settings.sendAs.smimeInfo.list", "GET", SMIME),
  restricted("settings.sendAs.smimeInfo.get", "GET", `${SMIME}/{id}`),
  restricted("settings.sendAs.smimeInfo.insert", "POST", SMIME),
  restricted("settings.sendAs.smimeInfo.delete", "DELETE", `${SMIME}/{id}`),
  restricted("settings.sendAs.smimeInfo.setDefault", "POST", `${SMIME}/{id}/setDefault`, BARE),
  restricted("settings.cse.identities.list", "GET", `${CSE}/identities`, { query: PAGES }),
  restricted("settings.cse.identities.get", "GET", `${CSE}/identities/{cseEmailAddress}`),
  restricted("settings.cse.identities.create", "POST", `${CSE}/identities`),
  restricted("settings.cse.identities.patch", "PATCH", `${CSE}/identities/{cseEmailAddress}`),
  restricted("settings.cse.identities.delete", "DELETE", `${CSE}/identities/{cseEmailAddress}`),
  restricted("settings.cse.keypairs.list", "GET", `${CSE}/keypairs`, { query: PAGES }),
  restricted("settings.cse.keypairs.get", "GET", `${CSE}/keypairs/{keyPairId}`),
  restricted("settings.cse.keypairs.create", "POST", `${CSE}/keypairs`, {
    query: { chainValidation },
  }),
  restricted("settings.cse.keypairs.disable", "POST", `${CSE}/keypairs/{keyPairId}:disable`),
  restricted("settings.cse.keypairs.enable", "POST", `${CSE}/keypairs/{keyPairId}:enable`),
  restricted("settings.cse.keypairs.obliterate", "POST", `${CSE}/keypairs/{keyPairId}:obliterate`, {
    isEmpty: true,
  }),
];
