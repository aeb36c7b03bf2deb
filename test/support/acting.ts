/** Environments in which people act, and the apps that learn of it. */
import { afterEach } from "bun:test";
import { eventually } from "./database";
import { expectStatus, type useProgram } from "./program";
import { APP, connectApp, type Envelope, openAddress } from "./socket-mode";

type Program = ReturnType<typeof useProgram>;
export type Environment = {
  readonly environmentId: string;
  readonly environmentUrl: string;
  readonly token: string;
};

type Acted = Envelope & { readonly payload: any };

export const GENERAL = "C01GENERAL";
export const JOHN = "U02JOHNADOE";
export const FROZEN = { clock: { now: "2026-03-11T09:00:00Z", mode: "frozen" } };

export const button = { type: "button", action_id: "approve", value: "order-7", text: plain("OK") };

export function plain(text: string) {
  return { type: "plain_text", text };
}
export const option = (value: string) => ({ text: plain(value), value });

export function useActing(program: Program) {
  const open: WebSocket[] = [];
  afterEach(() => {
    for (const socket of open.splice(0)) socket.close();
  });

  /** An environment with apps. */
  async function withApp(fields: object = {}, apps: object[] = [{ app: APP, events: [] }]) {
    const environment: Environment = await program.environment(fields);
    const path = `/env/${environment.environmentId}/events`;
    expectStatus(await program.call("PUT", path, { apps }), 200);
    return environment;
  }

  async function connect(
    { environmentUrl, token }: Environment,
    takes?: (envelope: Envelope) => boolean,
    answerTo?: (payload: any) => object | undefined,
  ) {
    const { url } = await openAddress(program.url, environmentUrl, `xapp-1-${APP}-${token}`);
    const app = connectApp(url, takes, undefined, answerTo);
    open.push(app.socket);
    await app.greeted();
    /** Waits for so many envelopes of acts, and returns the last one. */
    const acted = async (count = 1): Promise<Acted> =>
      await eventually(() => {
        const found = app.received.filter(({ type }) => type !== "hello" && type !== "events_api");
        if (found.length < count) throw new Error(`only ${found.length}`);
        return found[count - 1] as Acted;
      });
    return { ...app, acted };
  }

  return {
    withApp,
    connect,
    act: ({ environmentId }: Environment, act: object) =>
      program.post(`/env/${environmentId}/events`, { act }),
    async deliveries({ environmentId }: Environment) {
      const { body } = await program.get(`/env/${environmentId}/deliveries`);
      return body.events;
    },
    /** Posts as the app, or as another user. Returns the timestamp. */
    async post(environment: Environment, fields: object): Promise<string> {
      const message = { channel: GENERAL, text: "choose", ...fields };
      return (await program.chat(environment, "chat.postMessage", message)).ts;
    },
  };
}
