/** An environment's service over HTTP, as its agent or as another user. */
import type { Answer, Body, Call, Service, Surface } from "./model";

export type Environment = {
  readonly environmentId: string;
  readonly environmentUrl: string;
  readonly schemaName: string;
  readonly token: string;
};

/** Nothing if it is not JSON, as when an answer is lost. */
export const bodyOf = (response: Response): Promise<Body> => response.json().catch(() => ({}));

export function surfaceOf(url: string, service: Service, environment: Environment): Surface {
  const base = `${url}${environment.environmentUrl}`;
  return {
    service,
    async call({ name, arguments: given }: Call, as?: string): Promise<Answer> {
      const named = service === "chat" ? `Bearer xoxp-${as}` : `${as}`;
      const response = await fetch(service === "chat" ? `${base}/${name}` : `${base}/graphql`, {
        method: "POST",
        headers: {
          "Content-Type": "application/json; charset=utf-8",
          "X-API-Key": environment.token,
          ...(as === undefined ? {} : { Authorization: named }),
        },
        body: JSON.stringify(given),
      });
      const body = await bodyOf(response);
      const done = service === "chat" ? body.ok === true : body.data && !body.errors;
      return { ok: response.ok && Boolean(done), body };
    },
  };
}
