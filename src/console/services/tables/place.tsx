/** The rows of a table that a run changed. */
import { PlaceFrame, type PlaceProps } from "~/console/parts/place";

export const TablePlace = (place: PlaceProps) => <PlaceFrame of={place} drawn={[]} />;
