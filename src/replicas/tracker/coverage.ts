/** How far each operation of the API is simulated, derived from the SDL files. */
import { Kind } from "graphql";
import { words } from "~/graphql/words";
import { type SdlFile, sdlFiles } from "~/replicas/tracker/api/sdl";

export type Operation = {
  /** The field of Query or Mutation. */
  readonly operation: string;
  readonly kind: "query" | "mutation";
  /** The subject of the operation: `issue label`. */
  readonly entity: string;
  /** 1: every client uses it; 2: the rest of the product; 3: neighbouring products; 4: out of scope. */
  readonly tier: 1 | 2 | 3 | 4;
  /**
   * `simulated`: behaves as the service does. `kept`: stores its input, which can be read again. `refused`: a proper
   * error.
   */
  readonly state: "simulated" | "kept" | "refused";
};

type File = SdlFile["file"];

const TIER_1: ReadonlySet<File> = new Set<File>([
  "attachment",
  "comment",
  "cycle",
  "document",
  "issue",
  "issueLabel",
  "issueRelation",
  "organization",
  "project",
  "projectLabel",
  "projectMilestone",
  "projectRelation",
  "projectStatus",
  "projectUpdate",
  "rateLimit",
  "reaction",
  "team",
  "user",
  "workflowState",
]);
const TIER_3: ReadonlySet<File> = new Set<File>([
  "agent",
  "customer",
  "gitAutomation",
  "integration",
  "legacy",
  "release",
  "triage",
]);

function tierOf(file: File): Operation["tier"] {
  if (file === "outOfScope") return 4;
  if (TIER_1.has(file)) return 1;
  return TIER_3.has(file) ? 3 : 2;
}

const STATES = { 1: "simulated", 2: "simulated", 3: "kept", 4: "refused" } as const;

function operationsOf({ file, document }: SdlFile): Operation[] {
  const tier = tierOf(file);
  return document.definitions.flatMap((node) => {
    if (node.kind !== Kind.OBJECT_TYPE_EXTENSION) return [];
    const kind = ({ Query: "query", Mutation: "mutation" } as const)[node.name.value];
    if (kind === undefined) return [];
    return (node.fields ?? []).map(({ name }) => ({
      operation: name.value,
      kind,
      entity: words(file),
      tier,
      state: STATES[tier],
    }));
  });
}

export const coverage = (): readonly Operation[] => sdlFiles().flatMap(operationsOf);
