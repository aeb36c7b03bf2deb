import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { faultsOf, operationsOf } from "~/replicas/kit/rest-contract";
import { createRouter, operationsWith } from "~/replicas/kit/router";
import { newAccount, type UnleasedCall } from "~/replicas/replica";
import { HeaderList, HttpRequest } from "~/wire/message";

const operation = operationsWith<object>();
const id = Type.String({ description: "Of the note" });
const answers = { 200: Type.Object({}, { title: "Note" }) };
const handle = async () => ({});
const router = createRouter(
  [
    operation("notes.get", "GET", "notes/{id}", { summary: "Read", path: { id }, answers, handle }),
    operation("notes.batch_get", "POST", "notes/many", {
      ...{ summary: "Read several", isReading: true, answers, handle },
      query: { full: Type.Optional(Type.Boolean()) },
      body: Type.Object({ ids: Type.Array(id) }),
    }),
    operation("notes.upload", "PUT", "notes/{id}/file", {
      ...{ summary: "Upload", path: { id }, media: ["*"], answers, handle },
    }),
  ].toReversed(),
  () => new Error("rejected"),
  { fields: Type.Optional(Type.String()) },
);

test("each operation is one of the OpenAPI document", () => {
  const [upload, many, get] = operationsOf("mail", router);

  expect(get).toMatchObject({
    ...{ path: "notes/{id}", method: "get", operationId: "mailNotesGet", summary: "Read", answers },
    params: { properties: { id: { description: "Of the note" } } },
    query: { properties: { fields: {} } },
    body: undefined,
  });
  expect(many).toMatchObject({
    ...{ method: "post", operationId: "mailNotesBatchGet" },
    query: { properties: { full: {}, fields: {} } },
    body: {
      "application/json": { title: "MailNotesBatchGetArguments", additionalProperties: false },
    },
  });
  expect(upload?.body).toMatchObject({ "application/octet-stream": { format: "binary" } });
});

test("faults select calls by the names of operations, and never by a path", async () => {
  const faults = faultsOf(router, () => {
    throw new Error("not needed");
  });
  const select = async (verb: string, path: string) => {
    const account = newAccount(path);
    const request = new HttpRequest(verb, `/${path}`, new HeaderList());
    const selection = await faults.select({ request, path, account } as unknown as UnleasedCall);
    return [selection?.names, selection?.isReading, account.name];
  };

  expect([...faults.names()]).toEqual(["notes.upload", "notes.batch_get", "notes.get"]);
  expect(await select("GET", "notes/7")).toEqual([["notes.get"], true, "notes.get"]);
  expect(await select("POST", "notes/many")).toEqual([
    ["notes.batch_get"],
    true,
    "notes.batch_get",
  ]);
  expect(await select("PUT", "notes/7/file")).toEqual([["notes.upload"], false, "notes.upload"]);
  expect(await select("GET", "secret/7")).toEqual([undefined, undefined, "unknown"]);
});
