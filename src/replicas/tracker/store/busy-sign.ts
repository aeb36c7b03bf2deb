/** Signs that an agent is at work. */
import type { TrackerSession } from "~/replicas/tracker/store/tables";

/** The service considers an agent gone that has not reported for this long. */
const SESSION_MINUTES = 30;

/** A session of an agent that has begun and not ended. Undefined without any. */
export async function findBusySign(
  { sql, t }: TrackerSession,
  now: number,
): Promise<string | undefined> {
  const since = new Date(now - SESSION_MINUTES * 60_000);
  const [session] = await sql<{ text: string }[]>`
    select concat('the agent session ', id, ' is ', data->>'status') as text from ${t.records}
    where type = 'AgentSession' and data->>'status' in ('pending', 'active') and "archivedAt" is null
      and "updatedAt" > ${since}::timestamptz
    limit 1
  `;
  return session?.text;
}
