/** The database of the settings, for the commands that work on it themselves. */
import type { Environment } from "~/commands/client";
import { type Config, readConfig } from "~/config";
import { connect, type Pool } from "~/db/connect";

/** One connection, closed when `work` has ended. */
export async function withDatabase<T>(
  env: Environment,
  name: string,
  work: (pool: Pool, config: Config) => Promise<T>,
): Promise<T> {
  const config = readConfig(env);
  const pool = connect(config.DATABASE_URL, { max: 1, name, camel: true });
  try {
    return await work(pool, config);
  } finally {
    await pool.end({ timeout: 1 });
  }
}
