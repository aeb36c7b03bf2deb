/** Maps hosts of the real services to environments. */
import { UsageError } from "~/commands/client";
import type { About } from "~/replicas/about";
import { ABOUTS, hasRoot, SERVICES } from "~/replicas/services";

/** A service of an environment, or all of a world, and the credential. */
export type Target = { readonly serviceUrl: string; readonly token: string };

const SERVICE_URL = /^(https?:\/\/[^/]+\/api\/env\/[^/]+\/services)(?:\/([a-z]+))?\/?$/;

export type Targets = ReturnType<typeof createTargets>;

type Given = { readonly about: About; readonly target: Target };

/** `extraHosts`: further names that clients use, such as a workspace's own. Throws UsageError. */
export function createTargets(targets: readonly Target[], extraHosts: readonly string[]) {
  const given = givenServices(targets);
  const domains = given.flatMap(({ about }) => about.hosts.domain ?? []);
  const stray = extraHosts.find((host) => !domains.some((domain) => isBelow(host, domain)));
  if (stray !== undefined)
    throw new UsageError(
      `--host: ${stray} is not below ${domains.join(" or ") || "a domain of these services"}`,
    );
  const listed = given.flatMap(({ about }) => about.hosts.names);
  const servicesAt = (host: string): readonly Given[] => {
    const named = given.filter(({ about }) => about.hosts.names.includes(host));
    if (named.length > 0) return named;
    return given.filter(({ about: { hosts } }) => hosts.domain && isBelow(host, hosts.domain));
  };

  return {
    /** Whether calls to a host reach an environment. */
    has: (host: string): boolean => servicesAt(host.toLowerCase()).length > 0,
    /** Undefined for a host without an environment. `pathname`: chooses between services that share the host. */
    find(host: string, pathname: string): Target | undefined {
      const services = servicesAt(host.toLowerCase());
      const own = services.find(({ about }) => hasRoot(about, pathname.slice(1)));
      return (own ?? services[0])?.target;
    },
    /** Every intercepted name, for a hosts file. */
    names: [...new Set([...listed, ...extraHosts])],
    /** Names for a certificate: whole domains with everything directly below them. */
    certificateNames: [
      ...new Set([
        ...domains.flatMap((domain) => [domain, `*.${domain}`]),
        ...listed,
        ...extraHosts,
      ]),
    ],
  };
}

const isBelow = (host: string, domain: string) => host === domain || host.endsWith(`.${domain}`);

/** The services that the addresses lead to, each with its environment. */
function givenServices(targets: readonly Target[]): readonly Given[] {
  const given = new Map<string, Given>();
  for (const { serviceUrl, token } of targets) {
    const [whole, base, named] = SERVICE_URL.exec(serviceUrl) ?? [];
    // Every host leads to a world: for one that it lacks, it answers so, and the real service gets no call.
    const found = SERVICES.get(named ?? "");
    const abouts = named === undefined ? ABOUTS : [found].filter((each) => each !== undefined);
    if (whole === undefined || abouts.length === 0)
      throw new UsageError(
        `${serviceUrl} is not the URL of a service of an environment, such as http://127.0.0.1:3000/api/env/ENVIRONMENT/services/${ABOUTS[0]?.service}`,
      );
    for (const about of abouts) {
      const { service } = about;
      if (given.has(service))
        throw new UsageError(
          `--service-url: ${service} is given twice; a host leads to one environment`,
        );
      given.set(service, { about, target: { token, serviceUrl: `${base}/${service}` } });
    }
  }
  return [...given.values()];
}
