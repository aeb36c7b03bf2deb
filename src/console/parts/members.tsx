/** The services of a world, of which one is shown. */
import { type ComponentChildren, Fragment } from "preact";
import type { EnvironmentDetail } from "~/clients/typescript/schema";
import { Tabs } from "~/console/parts/filters";
import { place } from "~/console/place";
import { FIELDS } from "~/console/services/index";
import { memberOf, type ServiceEnvironment, WORLD } from "~/console/services/member";

/** Fields of the address that belong to the view of one service, or to its code and forms. */
export const SHOWN = ["q", "as", "code", "try", ...FIELDS];

/** The chosen service is kept in `service`. An environment of one service has no choice. */
export function Members({
  of,
  children,
}: {
  of: EnvironmentDetail;
  children: (member: ServiceEnvironment) => ComponentChildren;
}) {
  if (of.service !== WORLD) return children(of);
  const services = Object.keys(of.services);
  const wanted = place.value.query.get("service") ?? "";
  const service = services.includes(wanted) ? wanted : (services[0] ?? "");
  return (
    <>
      <Tabs label="Service" name="service" options={services} clears={SHOWN} />
      <Fragment key={service}>{children(memberOf(of, service))}</Fragment>
    </>
  );
}
