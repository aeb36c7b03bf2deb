/**
 * Cells: deployments behind one balancer, which chooses one by the first digits of an id. A call with an id of another
 * cell is rejected with the name of that cell.
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
