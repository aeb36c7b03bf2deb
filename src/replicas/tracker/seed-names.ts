/** The names of a seed's entries. */
import { isUuid } from "~/graphql/uuid";
import { nearest } from "~/input/nearest";
import { SeedError, SeedMistakes } from "~/replicas/kit/seed-mistakes";

/** Maps the names of entries to their ids. */
export class Names {
  readonly mistakes = new SeedMistakes();
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
    const known = [...this.#ids.keys()].flatMap((key) => {
      const [knownType, scope = "", known = ""] = key.split("\n");
      return knownType === type && scopes.includes(scope) && !isUuid(known) ? [known] : [];
    });
    throw new SeedError(path, `there is no ${type} "${name}"${nearest(name, known)}`);
  }
}
