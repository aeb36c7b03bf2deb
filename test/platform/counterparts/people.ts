/** Environments in which people act by rules, and what is seen of them. */
import { expectStatus, type TestProgram } from "../../support/program";

export type Environment = { environmentId: string; environmentUrl: string; schemaName: string };

export const NOON = Date.parse("2026-03-11T12:00:00.000Z");
export const CHANNEL = "C01GENERAL";
export const JOHN = "U02JOHNADOE";
export const ROBIN = "U03ROBINRAY";
export const clock = (mode: string) => ({
  clock: { now: new Date(NOON).toISOString(), mode },
  seed: 7,
});

/** So many seconds after noon. */
export const at = (seconds: number) => new Date(NOON + seconds * 1_000).toISOString();
export const says = (name: string, fields: object, as = JOHN) => ({
  ...{ name, as, say: { channel: CHANNEL, text: name } },
  ...fields,
});
// biome-ignore lint/suspicious/noThenProperty: the field of a rule; nothing awaits one.
export const then = (name: string) => Object.fromEntries([["then", name]]);
export const on = (program: TestProgram) => {
  const pathOf = ({ environmentId }: { environmentId: string }) => `/env/${environmentId}`;
  const posted = async (path: string, body: object) => {
    const answer = await program.post(path, body);
    expectStatus(answer, 200);
    return answer.body;
  };
  return {
    open: (counterparts: object[], fields: object = clock("frozen")): Promise<Environment> =>
      program.environment({ counterparts, ...fields }),
    post: async (environment: Environment, text: string) =>
      (await program.chat(environment, "chat.postMessage", { channel: CHANNEL, text }))
        .ts as string,
    /** The messages of people since the environment began, oldest first. */
    said: async (environment: Environment, by = [JOHN, ROBIN]) => {
      const { messages } = await program.chat(environment, "conversations.history", {
        ...{ channel: CHANNEL, oldest: String(NOON / 1_000) },
      });
      const found = messages.filter(({ user }: { user: string }) => by.includes(user));
      return found.map(({ text, ts }: { text: string; ts: string }) => [text, ts]).reverse();
    },
    repliesTo: async (environment: Environment, ts: string) => {
      const args = { channel: CHANNEL, ts };
      const { messages } = await program.chat(environment, "conversations.replies", args);
      return messages.slice(1).map(({ text }: { text: string }) => text);
    },
    move: (environment: { environmentId: string }, body: object) =>
      posted(`${pathOf(environment)}/clock`, body),
    reset: (environment: Environment, body: object = {}) =>
      posted(`${pathOf(environment)}/reset`, body),
    snapshot: (environment: Environment) => posted(`${pathOf(environment)}/snapshots`, {}),
    fork: async (environment: Environment, body: object = {}): Promise<Environment> =>
      (await posted(`${pathOf(environment)}/fork`, body)).environments[0],
    show: async (environment: { environmentId: string }) => {
      const answer = await program.get(`${pathOf(environment)}/counterparts`);
      expectStatus(answer, 200);
      return answer.body;
    },
    put: (environment: Environment, counterparts: object[]) =>
      program.call("PUT", `${pathOf(environment)}/counterparts`, { counterparts }),
  };
};
