/** The user through whose eyes an environment is shown. */
import type { EnvironmentDetail } from "~/clients/typescript/schema";
import { Choice } from "~/console/parts/filters";
import { place } from "~/console/place";

/** Kept in `as`; the environment's own user by default. `clears`: fields that another choice resets. */
export function UserChoice({
  environment: { impersonateUserId: agent },
  users,
  clears = [],
}: {
  environment: EnvironmentDetail;
  users: readonly { readonly id: string; readonly name: string }[];
  clears?: readonly string[];
}) {
  return (
    <Choice
      label="As user"
      name="as"
      value={place.value.query.get("as") || agent}
      options={users.map(({ id, name }) => [id, id === agent ? `${name} (agent)` : name])}
      clears={clears}
    />
  );
}
