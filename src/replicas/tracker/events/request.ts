/** Webhooks: the signed requests to an app, as the service's documentation and its client describe them. */
import { createHmac } from "node:crypto";
import type { EventDelivery, RequestMode } from "~/replicas/events";
import { millisOf, REAL, uuid } from "~/source";

const SECRET_LENGTH = 40;
/** Types whose events name the user of the app. */
const OF_APP_USER = new Set(["AgentSessionEvent", "AppUserNotification", "PermissionChange"]);
/** Types whose events name the app. */
const OF_APP = new Set([...OF_APP_USER, "OAuthApp", "OAuthAuthorization"]);

const digest = (secret: Uint8Array, text: string) =>
  createHmac("sha256", secret).update(`webhook ${text}`).digest();

const signingSecret = (secret: Uint8Array, app: string): string =>
  `lin_wh_${digest(secret, `signing ${app}`).toString("hex").slice(0, SECRET_LENGTH)}`;

/** A UUID that derives from the environment's secret: nothing is stored. */
export const derivedUuid = (secret: Uint8Array, text: string): string =>
  uuid({ micros: 0, bytes: (count) => digest(secret, text).subarray(0, count) });

/** The same in each attempt. */
export const deliveryId = (secret: Uint8Array, app: string, number: number): string =>
  derivedUuid(secret, `delivery ${app} ${number}`);

type Payload = { readonly type: string };

/** The time of the attempt is real, as clients reject a request that is older than a minute. */
function bodyOf(secret: Uint8Array, { app, payload }: EventDelivery, now: number): string {
  const { type } = payload as Payload;
  return JSON.stringify({
    ...(OF_APP_USER.has(type) && { appUserId: app.user }),
    ...(OF_APP.has(type) && { oauthClientId: app.id }),
    ...payload,
    webhookTimestamp: now,
    webhookId: app.webhook ? app.id : derivedUuid(secret, `id ${app.id}`),
  });
}

export const request: RequestMode = {
  redirectsMax: 0,
  signingSecret,

  request(secret, delivery) {
    const { app, payload, number } = delivery;
    const now = millisOf(REAL);
    const body = bodyOf(secret, delivery, now);
    const own = app.webhook?.secret ?? signingSecret(secret, app.id);
    const signature = createHmac("sha256", own).update(body);
    return {
      body,
      headers: {
        "content-type": "application/json; charset=utf-8",
        "user-agent": "Linear-Webhook",
        "linear-delivery": deliveryId(secret, app.id, number),
        "linear-event": (payload as Payload).type,
        "linear-signature": signature.digest("hex"),
        "linear-timestamp": String(now),
      },
    };
  },

  isAcknowledged: (status) => status === 200,
  isLast: () => false,
};
