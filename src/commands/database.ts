/** The database of the settings, for the commands that work on it themselves. */
import type { Environment } from "~/commands/client";
import { CommandError } from "~/commands/failure";
import { type Config, readConfig } from "~/config";
import { connect, type Pool } from "~/db/connect";
import { connectionProblem } from "~/db/problem";

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
  } catch (error) {
    throw explained(config, error);
  } finally {
    await pool.end({ timeout: 1 });
  }
}

/** The error, or a sentence in its place where it comes from connecting. */
export function explained(config: Config, error: unknown): unknown {
  const problem = connectionProblem(config.DATABASE_URL, error);
  return problem ? new CommandError(problem) : error;
}
