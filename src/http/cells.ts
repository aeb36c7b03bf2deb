/**
 * Cells: deployments behind one balancer, which finds the one of a call by the first digits of its id. A call that
 * reaches another one is told so, and nothing is looked up for it.
 */
import { NotFound, WrongCell } from "~/errors";

export type Cells = ReturnType<typeof createCells>;

const ID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/;

/** `own`: the cell of this server; undefined outside of cells. */
export function createCells(own: string | undefined) {
  const foreign = (id: string | undefined) =>
    own !== undefined && id !== undefined && ID.test(id) && !id.startsWith(own)
      ? new WrongCell(id.slice(0, own.length), own)
      : undefined;
  return {
    /** Rejects an environment of another cell: its token is unknown here, and would be an invalid one. */
    requireOwn(envId: string): void {
      const wrong = foreign(envId);
      if (wrong) throw wrong;
    },

    /** Names the cell of an id that nothing has here. Built-in suites have the same ids in all cells. */
    explained: (error: unknown): unknown =>
      (error instanceof NotFound && foreign(error.id)) || error,
  };
}
