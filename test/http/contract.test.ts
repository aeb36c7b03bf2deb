/** The check of answers against the OpenAPI document, which all tests rely on. */
import { expect, test } from "bun:test";
import { checkAnswer, readDocument } from "../support/contract";
import { useDatabase } from "../support/database";
import { useProgram } from "../support/program";

const program = useProgram(useDatabase());

test("an answer that differs from the document is found", async () => {
  const document = await readDocument(program.url);
  const made = await program.environment();
  const path = `/env/${made.environmentId}`;
  const { body: read } = await program.get(path);
  const check =
    (method: string, at: string, status: number, body: unknown = read) =>
    () =>
      checkAnswer(document, method, at, status, body);

  check("POST", "/initEnv", 201, made)();
  check("GET", `${path}?fields=all`, 200)();
  const { token: _, ...without } = made;
  expect(check("POST", "/initEnv", 201, without)).toThrow("must have required property 'token'");
  expect(check("POST", "/initEnv", 201, { ...made, token: 1 })).toThrow("must be string");
  expect(check("POST", "/initEnv", 201, { ...made, more: 1 })).toThrow("additional properties");
  const deeper = { ...read, clock: { ...read.clock, more: 1 } };
  expect(check("GET", path, 200, deeper)).toThrow("additional properties");
  expect(check("POST", "/initEnv", 299, made)).toThrow("a status that is not documented");
  expect(check("POST", "/init", 201, made)).toThrow("not documented");
  expect(check("PUT", path, 200)).toThrow("not documented");
});
