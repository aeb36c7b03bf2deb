/** The payloads of webhooks as the official client's declarations have them. */
import { expect } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript5";

type Member = { readonly isOptional: boolean; readonly type: string };
type Types = ReadonlyMap<string, ReadonlyMap<string, Member>>;

function readTypes(): Types {
  const folder = join(import.meta.dir, "../../../../node_modules/@linear/sdk/dist");
  const text = readdirSync(folder)
    .filter((name) => name.endsWith(".d.mts"))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .find((candidate) => candidate.includes("type Scalars = {"));
  const file = ts.createSourceFile("types.ts", text ?? "", ts.ScriptTarget.Latest, true);
  const types = new Map<string, ReadonlyMap<string, Member>>();
  for (const statement of file.statements) {
    if (!ts.isTypeAliasDeclaration(statement) || !ts.isTypeLiteralNode(statement.type)) continue;
    if (!statement.name.text.endsWith("WebhookPayload")) continue;
    const members = statement.type.members.filter(ts.isPropertySignature).map((member) => [
      member.name.getText(),
      {
        isOptional: member.questionToken !== undefined,
        type: (member.type?.getText() ?? "").replace(/^Maybe<(.*)>$/, "$1"),
      },
    ]);
    types.set(statement.name.text, new Map(members as [string, Member][]));
  }
  return types;
}

const TYPES = readTypes();

/** Values that the client's types require, and that the service itself leaves null. */
const NULL_ALTHOUGH_REQUIRED = /\.(?:editedAt|targetDate)$/;
/** Added on the way to an app. */
const LATER = ["webhookId", "webhookTimestamp", "appUserId", "oauthClientId"];

/** All that is wrong with a value, by its path. */
function mistakesIn(value: any, type: string, path: string): string[] {
  const list = /^Array<(.*)>$/.exec(type)?.[1];
  if (list !== undefined) {
    if (!Array.isArray(value)) return [`${path} is no list`];
    return value.flatMap((each, at) => mistakesIn(each, list, `${path}[${at}]`));
  }
  const scalar = /^Scalars\["(\w+)"\]/.exec(type)?.[1];
  if (scalar === "Float") return typeof value === "number" ? [] : [`${path} is no number`];
  if (scalar === "Boolean") return typeof value === "boolean" ? [] : [`${path} is no boolean`];
  if (scalar === "JSONObject") return typeof value === "object" ? [] : [`${path} is no object`];
  if (scalar !== undefined) {
    if (typeof value !== "string") return [`${path} is no text`];
    const isTime = /At$/.test(path) && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);
    return isTime ? [`${path} is no time: ${value}`] : [];
  }
  const members = TYPES.get(type);
  if (!members) return [`${path} has the unknown type ${type}`];
  const required = [...members].filter(([, { isOptional }]) => !isOptional);
  return [
    ...required
      .filter(([name]) => !(name in value))
      .map(([name]) => `${path}.${name} of ${type} is missing`),
    ...Object.entries(value).flatMap(([name, each]) => {
      const member = members.get(name);
      const inner = `${path}.${name}`;
      if (!member) return [`${inner} is foreign to ${type}`];
      if (each !== null) return mistakesIn(each, member.type, inner);
      return member.isOptional || NULL_ALTHOUGH_REQUIRED.test(inner) ? [] : [`${inner} is null`];
    }),
  ];
}

const OWN: Readonly<Record<string, string>> = {
  AgentSessionEvent: "AgentSessionEventWebhookPayload",
  AppUserNotification: "AppUserNotificationWebhookPayload",
  PermissionChange: "AppUserTeamAccessChangedWebhookPayload",
};

/** Fails unless an event has the fields of its type, with values of their types, and no others. */
export function expectShape(type: string, payload: any): void {
  const sent = { ...payload, ...Object.fromEntries(LATER.map((name) => [name, undefined])) };
  const { data, actor, notification, ...rest } = sent;
  const envelope = OWN[type] ?? "EntityWebhookPayload";
  const given = Object.fromEntries(
    Object.entries(rest).filter(([name]) => TYPES.get(envelope)?.has(name)),
  );
  const foreign = Object.keys(payload).filter((name) => !TYPES.get(envelope)?.has(name));
  const checked = [
    ...foreign.map((name) => `${name} is foreign to ${envelope}`),
    ...Object.entries(given).flatMap(([name, value]) =>
      LATER.includes(name)
        ? []
        : mistakesIn(value, TYPES.get(envelope)?.get(name)?.type ?? "", name),
    ),
    ...(actor ? mistakesIn(actor, "UserActorWebhookPayload", "actor") : []),
    ...(data ? mistakesIn(data, `${type}WebhookPayload`, "data") : []),
    ...(notification
      ? mistakesIn(notification, "OtherNotificationWebhookPayload", "notification").filter(
          (each) => !each.includes("OtherNotificationType"),
        )
      : []),
  ];
  expect(checked).toEqual([]);
}
