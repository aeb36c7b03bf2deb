/** The names of a seed's entries. */
import { isUuid } from "~/graphql/scalars";
import { SeedError } from "~/replicas/replica";

/** Maps the names of entries to their ids. */
export class Names {
  readonly #ids = new Map<string, string>();

  add(type: string, name: string, scope: string, id: string, path: string): void {
    const key = [type, scope, name].join("\n");
    if (this.#ids.has(key)) throw new SeedError(path, `there is another ${type} "${name}"`);
    this.#ids.set(key, id);
    this.#ids.set([type, "", id].join("\n"), id);
  }

  /** The id for a name, in the first scope that has it. */
  require(type: string, name: string, scopes: readonly string[], path: string): string {
    for (const scope of isUuid(name) ? [""] : scopes) {
      const id = this.#ids.get([type, scope, name].join("\n"));
      if (id !== undefined) return id;
    }
    throw new SeedError(path, `there is no ${type} "${name}"`);
  }
}
