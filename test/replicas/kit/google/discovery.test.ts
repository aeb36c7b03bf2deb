import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { documentsOf } from "~/replicas/kit/google/discovery";
import { createRouter, operationsWith } from "~/replicas/kit/router";
import { HeaderList, HttpRequest, textOf } from "~/wire/message";

const operation = operationsWith<undefined>();
const id = Type.String({ description: "Of the note" });
const Note = Type.Recursive(
  (note) => Type.Object({ id, size: Type.Integer(), answers: Type.Array(note) }),
  { $id: "PadNote" },
);
const NoteList = Type.Object(
  { notes: Type.Optional(Type.Array(Note)), extra: Type.Unknown() },
  { title: "PadNoteList", description: "A page" },
);
const handle = async () => undefined;
const ROUTER = createRouter(
  [
    operation("notes.list", "GET", "pad/v2/notes", {
      summary: "List notes",
      query: {
        kind: Type.Optional(Type.Union([Type.Literal("open"), Type.Literal("done")])),
        label: Type.Optional(Type.Array(Type.String())),
        max: Type.Optional(Type.Integer({ minimum: 0, default: 10 })),
      },
      answers: { 200: NoteList },
      handle,
    }),
    operation("notes.pages.insert", "POST", "pad/v2/notes/{id}/pages", {
      summary: "Insert a page",
      path: { id },
      body: Type.Object({ text: Type.String() }),
      media: ["*"],
      answers: { 200: Note },
      handle,
    }),
    operation("clear", "POST", "pad/v2/clear", {
      summary: "Clear",
      answers: { 204: Type.Void({ description: "Done" }) },
      handle,
    }),
  ],
  () => new Error("refused"),
  { fields: Type.Optional(Type.String()) },
);
const documents = documentsOf(
  {
    ...{ name: "pad", version: "v2", title: "Pad API", prefix: "Pad" },
    scopes: ["https://pad.test/all"],
    media: { accept: ["text/*"], maxSize: 100 },
  },
  ROUTER,
);

const read = (path: string, query = "") => {
  const request = new HttpRequest("GET", `/${path}${query}`, new HeaderList());
  const answer = documents({ request, path, rootUrl: "http://127.0.0.1/pad/" });
  return answer && JSON.parse(textOf(answer));
};

describe("a discovery document", () => {
  test("has the address that it was read from, and places for batches", () => {
    expect(read("$discovery/rest", "?version=v2")).toMatchObject({
      ...{ kind: "discovery#restDescription", id: "pad:v2", name: "pad", version: "v2" },
      ...{ rootUrl: "http://127.0.0.1/pad/", servicePath: "", batchPath: "batch" },
      parameters: { fields: { type: "string", location: "query" } },
    });
  });

  test("has methods in resources, with their parameters", () => {
    const { resources, methods } = read("$discovery/rest");

    expect(resources.notes.methods.list).toMatchObject({
      ...{ id: "pad.notes.list", path: "pad/v2/notes", httpMethod: "GET" },
      parameters: {
        kind: { type: "string", enum: ["open", "done"], location: "query" },
        label: { type: "string", repeated: true, location: "query" },
        max: { type: "integer", format: "int32", minimum: "0", default: "10", location: "query" },
      },
      response: { $ref: "NoteList" },
    });
    expect(resources.notes.resources.pages.methods.insert).toMatchObject({
      parameterOrder: ["id"],
      parameters: { id: { type: "string", location: "path", required: true } },
      request: { $ref: "NotesPagesInsertRequest" },
      supportsMediaUpload: true,
      mediaUpload: {
        ...{ accept: ["text/*"], maxSize: "100" },
        protocols: { simple: { multipart: true, path: "/upload/pad/v2/notes/{id}/pages" } },
      },
    });
    expect(methods.clear).not.toHaveProperty("response");
  });

  test("has each shape once, also one that contains itself", () => {
    expect(read("$discovery/rest").schemas).toEqual({
      NoteList: {
        ...{ id: "NoteList", type: "object", description: "A page" },
        properties: {
          notes: { type: "array", items: { $ref: "Note" } },
          extra: { type: "any" },
        },
      },
      Note: {
        ...{ id: "Note", type: "object" },
        properties: {
          id: { type: "string", description: "Of the note" },
          size: { type: "integer", format: "int32" },
          answers: { type: "array", items: { $ref: "Note" } },
        },
      },
      NotesPagesInsertRequest: {
        ...{ id: "NotesPagesInsertRequest", type: "object" },
        properties: { text: { type: "string" } },
      },
    });
  });

  test("is where the directory of APIs has it, and nowhere else", () => {
    expect(read("discovery/v1/apis/pad/v2/rest")).toEqual(read("$discovery/rest"));
    expect(read("$discovery/rest", "?version=v1")).toBeUndefined();
    expect(read("discovery/v1/apis/pad/v1/rest")).toBeUndefined();
    expect(read("pad/v2/notes")).toBeUndefined();
  });
});
