/** Maps hosts of the real services to environments. */
import { UsageError } from "~/commands/client";
import { ABOUTS, SERVICES } from "~/replicas/services";

/** A service of an environment, or all of a world, and the credential. */
export type Target = { readonly serviceUrl: string; readonly token: string };

const SERVICE_URL = /^(https?:\/\/[^/]+\/api\/env\/[^/]+\/services)(?:\/([a-z]+))?\/?$/;

export type Targets = ReturnType<typeof createTargets>;

/** `extraHosts`: further names that clients use, such as a workspace's own. Throws UsageError. */
export function createTargets(targets: readonly Target[], extraHosts: readonly string[]) {
  const byDomain = new Map<string, Target>();
  for (const { serviceUrl, token } of targets) {
    const [whole, base, named] = SERVICE_URL.exec(serviceUrl) ?? [];
    // Every host leads to a world: for one that it lacks, it answers so, and the real service gets no call.
    const about = SERVICES.get(named ?? "");
    const services = named === undefined ? ABOUTS : [about].filter((each) => each !== undefined);
    if (whole === undefined || services.length === 0)
      throw new UsageError(
        `${serviceUrl} is not the URL of a service of an environment, such as http://127.0.0.1:3000/api/env/ENVIRONMENT/services/${ABOUTS[0]?.service}`,
      );
    for (const { service, hosts } of services) {
      if (byDomain.has(hosts.domain))
        throw new UsageError(
          `--service-url: ${service} is given twice; a host leads to one environment`,
        );
      byDomain.set(hosts.domain, { token, serviceUrl: `${base}/${service}` });
    }
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
