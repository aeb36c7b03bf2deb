/** The acting user of a call. */
import { notAuthenticated } from "~/replicas/tracker/errors";
import type { TrackerSession } from "~/replicas/tracker/store/tables";
import { findViewer, type ViewerContext } from "~/replicas/tracker/store/viewer";

/** Throws the authentication error of the service for a user who is missing or suspended. */
export async function requireViewer(
  session: TrackerSession,
  userId: string,
): Promise<ViewerContext> {
  const found = await findViewer(session, userId);
  if (!found) throw notAuthenticated("There is no user with this id to act as.");
  if (!found.viewer.active) throw notAuthenticated("This user has been suspended.");
  return found;
}
