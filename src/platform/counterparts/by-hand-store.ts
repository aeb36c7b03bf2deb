/** How often people act by hand while a run is active. */
import type { Sql } from "~/db/connect";

/** Counts an act by hand in the active run of an environment, if it has one. */
export const countByHand = async (sql: Sql, environmentId: string) =>
  await sql`
    update diorama.runs set acted_by_hand = acted_by_hand + 1
    where environment_id = ${environmentId} and status = 'running'
  `;
