/** Maps hosts of the real services to environments. */
import { UsageError } from "~/commands/client";
import { ABOUTS, SERVICES } from "~/replicas/services";

/** An environment's service, and its credential. */
export type Target = { readonly serviceUrl: string; readonly token: string };

const SERVICE_URL = /^https?:\/\/[^/]+\/api\/env\/[^/]+\/services\/([a-z]+)\/?$/;

export type Targets = ReturnType<typeof createTargets>;

/** `extraHosts`: further names that clients use, such as a workspace's own. Throws UsageError. */
export function createTargets(targets: readonly Target[], extraHosts: readonly string[]) {
  const byDomain = new Map<string, Target>();
  for (const target of targets) {
    const service = SERVICE_URL.exec(target.serviceUrl)?.[1];
    const domain = service && SERVICES.get(service)?.hosts.domain;
    if (!domain)
      throw new UsageError(
        `${target.serviceUrl} is not the URL of a service of an environment, such as http://127.0.0.1:3000/api/env/ENVIRONMENT/services/${ABOUTS[0]?.service}`,
      );
    if (byDomain.has(domain))
      throw new UsageError(
        `--service-url: ${service} is given twice; a host leads to one environment`,
      );
    byDomain.set(domain, { ...target, serviceUrl: target.serviceUrl.replace(/\/$/, "") });
  }
  const domains = [...byDomain.keys()];
  const domainOf = (host: string) =>
    domains.find((domain) => host === domain || host.endsWith(`.${domain}`));
  const stray = extraHosts.find((host) => domainOf(host) === undefined);
  if (stray !== undefined)
    throw new UsageError(`--host: ${stray} is not below ${domains.join(" or ")}`);
  const listed = ABOUTS.map(({ hosts }) => hosts)
    .filter(({ domain }) => byDomain.has(domain))
    .flatMap(({ names }) => names);

  return {
    /** Undefined for a host without an environment. */
    find: (host: string): Target | undefined => byDomain.get(domainOf(host.toLowerCase()) ?? ""),
    /** Every intercepted name, for a hosts file. */
    names: [...new Set([...listed, ...extraHosts])],
    /** Names for a certificate: whole domains with everything directly below them. */
    certificateNames: [
      ...new Set([...domains.flatMap((domain) => [domain, `*.${domain}`]), ...extraHosts]),
    ],
  };
}
