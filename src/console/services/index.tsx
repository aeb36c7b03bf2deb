/** Places, code and forms of each service. One without an entry of its own has those of tables. */
import type { Service } from "~/clients/typescript/schema";
import type { PlaceProps } from "~/console/parts/place";
import { calendar } from "~/console/services/calendar/index";
import { chat } from "~/console/services/chat/index";
import { mail } from "~/console/services/mail/index";
import { WORLD } from "~/console/services/member";
import { ownerOf } from "~/console/services/records";
import type { ConsoleService } from "~/console/services/service";
import { tables } from "~/console/services/tables/index";
import { tracker } from "~/console/services/tracker/index";

const SERVICES: Readonly<Record<string, ConsoleService>> & Record<Service, ConsoleService> = {
  chat,
  tracker,
  mail,
  calendar,
};

/** Fields of an environment's address that the view of any service keeps there. */
export const FIELDS = Object.values(SERVICES).flatMap(({ fields }) => fields);

/** A place is of one service. */
function WorldPlace(place: PlaceProps) {
  const { Place } = serviceOf(ownerOf(place.rows[0]?.table ?? "").service);
  const rows = place.rows.map((each) => ({ ...each, table: ownerOf(each.table).own }));
  return <Place {...place} rows={rows} />;
}

const world: ConsoleService = { ...tables, Place: WorldPlace };

/** `service`: undefined if it is not known. */
export const serviceOf = (service: string | undefined): ConsoleService =>
  service === WORLD ? world : (service && SERVICES[service]) || tables;
