/** The configured database, for commands that access it directly. */
import type { Environment } from "~/commands/client";
import { CommandError } from "~/commands/failure";
import { type Config, readConfig } from "~/config";
import { connect, type Pool } from "~/db/connect";
import { connectionProblem } from "~/db/problem";

const CONNECTIONS = 2;

/** Two connections, as some work needs one beside its transaction; closed when `work` has ended. */
export async function withDatabase<T>(
  env: Environment,
  name: string,
  work: (pool: Pool, config: Config) => Promise<T>,
): Promise<T> {
  const config = readConfig(env);
  const pool = connect(config.DATABASE_URL, { max: CONNECTIONS, name, camel: true });
  try {
    return await work(pool, config);
  } catch (error) {
    throw explained(config, error);
  } finally {
    await pool.end({ timeout: 1 });
  }
}

/** Replaces an error of connecting by a sentence for the user. */
export function explained(config: Config, error: unknown): unknown {
  const problem = connectionProblem(config.DATABASE_URL, error);
  return problem ? new CommandError(problem) : error;
}
