/** Warnings about settings that are valid. */
import { distance } from "fastest-levenshtein";
import type { Environment } from "~/input/settings";

/** Bun's fetch uses the proxy of the environment, also for keys on their way to the control plane. */
export function proxied(env: Environment, controlPlaneUrl: string): string[] {
  const { protocol, hostname } = new URL(controlPlaneUrl);
  const name = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const proxy = env[name] || env[name.toLowerCase()];
  const direct = (env["NO_PROXY"] ?? env["no_proxy"] ?? "").split(/[\s,]+/);
  if (!proxy || direct.some((host) => host === "*" || host === hostname)) return [];
  return [
    `${name} is set: keys reach CONTROL_PLANE_URL through that proxy unless NO_PROXY names ${hostname}`,
  ];
}

/** Variables that look like a misspelt setting, each with the name it resembles. */
export const misspelt = (env: Environment, names: readonly string[]): string[] =>
  Object.keys(env).flatMap((found) => {
    if (found.length < 6 || names.includes(found)) return [];
    const near = names.find((name) => distance(found, name) <= 2);
    return near ? [`${found} is not a setting; did you mean ${near}?`] : [];
  });
