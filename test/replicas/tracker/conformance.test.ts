/** The types of the official client, as its declarations give them, are those of the schema. */
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { codegen } from "@graphql-codegen/core";
import * as typescript from "@graphql-codegen/typescript";
import { parse, printSchema } from "graphql";
import ts from "typescript5";
import { trackerSchema } from "~/replicas/tracker/schema";

/** The members of each type and enum of a file, by name: `title?` → `Maybe<Scalars["String"]>`. */
type Types = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** One spelling for both generators: without the direction of a scalar, and with one kind of quotes. */
const spelled = (text: string) =>
  text
    .replace(/\[['"](input|output)['"]\]/g, "")
    .replaceAll("'", '"')
    .replace(/\s+/g, " ");

const membersOf = (literal: ts.TypeLiteralNode) =>
  literal.members.filter(ts.isPropertySignature).map(({ name, questionToken, type }) => {
    const optional = questionToken ? "?" : "";
    return [`${name.getText()}${optional}`, spelled(type?.getText() ?? "")] as const;
  });

function typesOf(text: string): Types {
  const types = new Map<string, ReadonlyMap<string, string>>();
  const add = (name: string, members: ReadonlyMap<string, string>) =>
    types.set(name.toLowerCase(), members);
  const file = ts.createSourceFile("types.ts", text, ts.ScriptTarget.Latest, true);
  for (const statement of file.statements) {
    if (ts.isEnumDeclaration(statement)) {
      const values = statement.members.map(({ name, initializer }) => [
        spelled(initializer?.getText() ?? name.getText()),
        "",
      ]);
      add(statement.name.text, new Map(values as [string, string][]));
    }
    if (!ts.isTypeAliasDeclaration(statement)) continue;
    const { name, type } = statement;
    if (name.text === "Scalars") continue; // their types in TypeScript
    if (ts.isUnionTypeNode(type)) {
      add(name.text, new Map(type.types.map((member) => [member.getText(), member.getText()])));
      continue;
    }
    const parts: readonly ts.TypeNode[] = ts.isIntersectionTypeNode(type) ? type.types : [type];
    const literals = parts.filter((part) => ts.isTypeLiteralNode(part));
    if (literals.length > 0) add(name.text, new Map(literals.flatMap(membersOf)));
  }
  return types;
}

/** The types of the client's declarations, without those of its documents, which come after. */
async function theirs(): Promise<Types> {
  const folder = join(import.meta.dir, "../../../node_modules/@linear/sdk/dist");
  const files = readdirSync(folder).filter((name) => name.endsWith(".d.mts"));
  const texts = await Promise.all(files.map((name) => Bun.file(join(folder, name)).text()));
  const text = texts.find((candidate) => candidate.includes("type Scalars = {"));
  if (text === undefined) throw new Error("the client declares no scalars");
  return typesOf(text);
}

const ours = async (): Promise<Types> =>
  typesOf(
    await codegen({
      filename: "types.ts",
      documents: [],
      schema: parse(printSchema(trackerSchema())),
      plugins: [{ typescript: {} }],
      pluginMap: { typescript },
      config: {},
    }),
  );

/** The arguments of a field are a type of their own, whose name is made of the names of both. */
const argumentsOf = (type: string, members: Iterable<string>) =>
  [...members].map((member) => `${type}${member.replace("?", "")}Args`.toLowerCase());

/** The names of the types that lead from the roots. Names differ in capitals between the two generators. */
function reachable(types: Types): string[] {
  const found = new Set<string>();
  const waiting = ["query", "mutation"];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const members = types.get(name);
    if (!members || found.has(name)) continue;
    found.add(name);
    const named = [...members.values()].flatMap((type) => type.match(/\w+/g) ?? []);
    waiting.push(...named.map((word) => word.toLowerCase()), ...argumentsOf(name, members.keys()));
  }
  return [...found].toSorted();
}

const [client, server] = await Promise.all([theirs(), ours()]);

test("every type, input and enum that the official client can reach is in the schema", () => {
  const names = reachable(client);

  expect(names.length).toBeGreaterThan(1_600);
  expect(names.filter((name) => !server.has(name))).toEqual([]);
});

test("each of their fields, arguments and values is there, with the same type", () => {
  const differences = reachable(client).flatMap((name) => {
    const known = server.get(name);
    return [...(known ? (client.get(name) ?? []) : [])]
      .filter(([member, type]) => known?.get(member)?.toLowerCase() !== type.toLowerCase())
      .map(([member]) => `${name}.${member}`);
  });

  expect(differences).toEqual([]);
});
