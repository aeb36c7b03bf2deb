/** Explains why connecting to Postgres failed. */
import { socketOf } from "~/address";
import { errorCode, INSUFFICIENT_PRIVILEGE } from "~/db/connect";

const DEFAULT_PORT = "5432";

/**
 * Describes a connection error to the person who set DATABASE_URL, with a fix. Undefined for errors that do not come
 * from connecting.
 */
export function connectionProblem(databaseUrl: string, error: unknown): string | undefined {
  const problem = problemOf(new URL(databaseUrl), errorCode(error) ?? "", error as Error);
  return problem && `DATABASE_URL: ${problem}`;
}

function problemOf(url: URL, code: string, { message }: Error): string | undefined {
  const directory = socketOf(url.href);
  const port = url.port || DEFAULT_PORT;
  const place = directory ? `${directory}/.s.PGSQL.${port}` : `${url.hostname}:${port}`;
  const role = JSON.stringify(decodeURIComponent(url.username));
  const database = JSON.stringify(decodeURIComponent(url.pathname.slice(1)));
  const away = (why: string) => `the database cannot be reached: ${why} (${code})`;
  switch (code) {
    case "28P01":
      return url.password === ""
        ? `the server requires a password for the role ${role}, and the URL has none`
        : `the password is wrong for the role ${role}, or there is no such role`;
    case "28000":
      return `the server rejects the role ${role}: ${message}${/no encryption/.test(message) ? "; if it requires TLS, add ?sslmode=require" : ""}`;
    case "3D000":
      return `there is no database ${database} at ${place}; CREATE DATABASE ${database} makes it`;
    case INSUFFICIENT_PRIVILEGE:
      return /database/.test(message)
        ? `the role ${role} may not connect: GRANT CONNECT ON DATABASE ${database} TO ${role}`
        : undefined;
    case "53300":
      return away("the server has no connection left; max_connections limits them");
    case "57P03":
      return away(message);
    case "CONNECT_NO_PRIMARY":
      return away("none of its servers takes writes; one must be the primary");
    case "TLS_REFUSED":
      return message;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return away(`there is no host named ${JSON.stringify(url.hostname)}`);
    case "ECONNREFUSED":
      return away(`nothing listens at ${place}; is Postgres running there?`);
    case "EACCES":
    case "EPERM":
      return away(`this user may not connect to ${place}`);
    default:
      return isAway(code) ? away(`${place} does not answer`) : undefined;
  }
}

const isAway = (code: string) =>
  /^(CONNECT|ECONN|ETIMEDOUT|EHOST|ENET|EPIPE|08...|57P0.)/.test(code);
