/** Suites of the world `acme`. */

export const added = (service: string, entity: string, where: object) => ({
  ...{ diff_type: "added", service, entity, where, expected_count: 1 },
});

/** A suite with one test, as the body that creates it. */
export const worldSuite = (
  name: string,
  test: { readonly name: string; readonly prompt: string },
  ...assertions: readonly object[]
) => ({
  ...{ name, templateService: "world", templateName: "acme", impersonateUserId: "U01AGENTONE" },
  tests: [{ ...test, expectedOutput: { assertions } }],
});
