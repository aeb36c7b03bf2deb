/** Failed attempts to deliver events to webhooks, as the API shows them. */
import { createLoader, type Loader } from "~/graphql/loader";
import type { DeliveryFailure } from "~/replicas/events";
import type { ReplicaCall } from "~/replicas/replica";
import { deliveryId, derivedUuid } from "~/replicas/tracker/events/request";

export type Failures = Loader<string, readonly ReturnType<ReturnType<typeof shownOf>>[]>;

const shownOf =
  (secret: Uint8Array, webhook: string) =>
  ({ number, attempt, at, url, status, answer }: DeliveryFailure) => ({
    id: derivedUuid(secret, `failure ${webhook} ${number} ${attempt}`),
    executionId: deliveryId(secret, webhook, number),
    createdAt: new Date(at),
    httpStatus: status,
    responseOrError: answer,
    url,
  });

/** Loads the failures of webhooks, by their ids. */
export const createFailures = ({
  secret,
  failuresOf,
}: Pick<ReplicaCall, "secret" | "failuresOf">): Failures =>
  createLoader(async (webhooks) => {
    const found = await failuresOf(webhooks);
    return new Map(Array.from(found, ([id, failures]) => [id, failures.map(shownOf(secret, id))]));
  }, []);
