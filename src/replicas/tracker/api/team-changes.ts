/** The mutations of teams. */

import type { Resolvers } from "~/graphql/resolvers";
import { mergedSettings } from "~/replicas/tracker/api/organization";
import { addMember } from "~/replicas/tracker/api/team-membership";
import {
  archiveRow,
  changeRow,
  createRow,
  type Given,
  type Optional,
  restoreRow,
  type Target,
} from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { planCycles } from "~/replicas/tracker/cycles";
import { DEFAULT_STATES, TRIAGE_STATE } from "~/replicas/tracker/defaults";
import { forbidden, invalidArgument, invalidInput } from "~/replicas/tracker/errors";
import { moveToCycle } from "~/replicas/tracker/issues/move";
import { requireGiven, requireOneOf, requireRow } from "~/replicas/tracker/require";
import { deleteCycles, listIssuesInCycles } from "~/replicas/tracker/store/cycles";
import type { Changes, Row, Values } from "~/replicas/tracker/store/entities";
import { AGE_MONTHS_MAX } from "~/replicas/tracker/store/issues/aging";
import { listStates } from "~/replicas/tracker/store/states";
import {
  archiveIssues,
  isKeyTaken,
  listAncestors,
  renameIssues,
  restoreIssues,
} from "~/replicas/tracker/store/teams";
import { columnsIn, lockWorkspace } from "~/replicas/tracker/store/write";

const KEY = /^[A-Z][A-Z0-9]{0,6}$/;
const KEY_LENGTH = 3;
const KEYS_MAX = 100;
const ESTIMATIONS = ["notUsed", "exponential", "fibonacci", "linear", "tShirt"];

/** Inclusive. A number beyond them would lead to dates that nothing can show. */
const RANGES = {
  cycleDuration: [1, 52],
  cycleCooldownTime: [0, 52],
  autoArchivePeriod: [0, AGE_MONTHS_MAX],
  autoClosePeriod: [0, AGE_MONTHS_MAX],
} as const;

function requireRanges(input: Values): void {
  for (const [name, [min, max]] of Object.entries(RANGES)) {
    const value = input[name];
    if (typeof value === "number" && !(value >= min && value <= max))
      throw invalidArgument(
        name,
        value,
        value > max ? "max" : "min",
        `${name} must be from ${min} to ${max}`,
      );
  }
}

type TeamInput = Values & {
  readonly id?: Optional<string>;
  readonly name?: Optional<string>;
  readonly key?: Optional<string>;
  readonly parentId?: Optional<string>;
  readonly private?: Optional<boolean>;
  readonly defaultIssueStateId?: Optional<string>;
  readonly issueEstimationType?: Optional<string>;
  readonly triageEnabled?: Optional<boolean>;
  readonly cycleEnabledStartDate?: Optional<Date>;
};

/** The given key, or one derived from the name. */
async function keyFor(context: Context, { key, name }: TeamInput): Promise<string> {
  if (key) return await requireFreeKey(context, key);
  const letters = (name ?? "")
    .normalize("NFKD")
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, "")
    .replace(/^[0-9]+/, "");
  const base = (letters || "TEAM").slice(0, KEY_LENGTH);
  for (let n = 1; n < KEYS_MAX; n++) {
    const candidate = n === 1 ? base : `${base}${n}`;
    if (!(await isKeyTaken(context.session, candidate))) return candidate;
  }
  throw invalidInput("The team needs a unique key");
}

async function requireFreeKey(
  { session }: Context,
  text: string,
  teamId?: string,
): Promise<string> {
  const key = text.toUpperCase();
  if (!KEY.test(key))
    throw invalidArgument("key", text, "matches", "key must be 1 to 7 letters and digits");
  if (await isKeyTaken(session, key, teamId)) throw invalidInput(`The key ${key} is already taken`);
  return key;
}

/** Converts an input to columns. Throws when it is invalid. */
async function columnsOf(
  context: Context,
  input: TeamInput,
  team?: Row<"Team">,
): Promise<Changes<"Team">> {
  const { parentId, issueEstimationType, defaultIssueStateId } = input;
  requireRanges(input);
  requireOneOf("issueEstimationType", issueEstimationType, ESTIMATIONS);
  const parent = await requireGiven(context, "Team", "parentId", parentId);
  const above =
    parent && team ? [parent.id, ...(await listAncestors(context.session, parent.id))] : [];
  if (team && above.includes(team.id))
    throw invalidInput("A team cannot be below itself or one of its sub-teams");
  const state = await requireGiven(
    context,
    "WorkflowState",
    "defaultIssueStateId",
    defaultIssueStateId,
  );
  if (state && state["teamId"] !== team?.id)
    throw invalidInput("The default state must belong to the team");
  const { private: isPrivate } = input;
  return {
    ...columnsIn("Team", input),
    ...(typeof isPrivate === "boolean" && { visibility: isPrivate ? "private" : "public" }),
  };
}

/** Settings of another team, for a new one. */
async function settingsOf(context: Context, teamId: Optional<string>): Promise<Changes<"Team">> {
  const other = await requireGiven(context, "Team", "copySettingsFromTeamId", teamId);
  if (!other) return {};
  const { id: _, key: __, name: ___, parentId: ____, ...settings } = other;
  const own = [
    "createdAt",
    "updatedAt",
    "archivedAt",
    "retiredAt",
    "previousKeys",
    "highestNumber",
  ];
  const states = ["defaultIssueStateId", "description"];
  return Object.fromEntries(
    Object.entries(settings).filter(([name]) => ![...own, ...states].includes(name)),
  );
}

async function createStates(
  context: Context,
  teamId: string,
  triage: boolean,
): Promise<Row<"WorkflowState">[]> {
  const states: Row<"WorkflowState">[] = [];
  for (const [position, state] of [...(triage ? [TRIAGE_STATE] : []), ...DEFAULT_STATES].entries())
    states.push(await createRow(context, "WorkflowState", { ...state, teamId, position }));
  return states;
}

/** A team that the viewer administers. */
async function requireOwnTeam(context: Context, id: string): Promise<Row<"Team">> {
  const team = await requireRow(context, "Team", id);
  if (context.viewer.guest) throw forbidden("Guests cannot change teams");
  return team;
}

export const teamChanges: Resolvers<Context> = {
  Mutation: {
    teamCreate: async (
      _source,
      {
        input,
        copySettingsFromTeamId,
      }: Given<TeamInput> & { copySettingsFromTeamId?: Optional<string> },
      context,
    ) => {
      if (context.viewer.guest) throw forbidden("Guests cannot create teams");
      await lockWorkspace(context.session);
      const created = await createRow(context, "Team", {
        ...(await settingsOf(context, copySettingsFromTeamId)),
        ...(await columnsOf(context, input)),
        key: await keyFor(context, input),
      });
      const states = await createStates(context, created.id, created["triageEnabled"] === true);
      const backlog = states.find(({ type }) => type === "backlog");
      const team = await changeRow(context, "Team", created, { defaultIssueStateId: backlog?.id });
      await addMember(context, { teamId: team.id, userId: context.viewer.id, owner: true });
      if (team["cyclesEnabled"] === true) await planCycles(context, team);
      return { team };
    },

    teamUpdate: async (_source, { id, input }: Target & Given<TeamInput>, context) => {
      const team = await requireOwnTeam(context, id);
      await lockWorkspace(context.session);
      const columns = mergedSettings(team, await columnsOf(context, input, team), [
        "securitySettings",
      ]);
      const key = input.key ? await requireFreeKey(context, input.key, team.id) : undefined;
      const isRenamed = key !== undefined && key !== team["key"];
      if (isRenamed) await renameIssues(context.session, team.id, key, context.now);
      const states = input.triageEnabled ? await listStates(context.session, team.id) : [];
      if (input.triageEnabled && !states.some(({ type }) => type === "triage"))
        await createRow(context, "WorkflowState", {
          ...TRIAGE_STATE,
          teamId: team.id,
          position: -1,
        });
      const changes = {
        ...columns,
        name: input.name ?? undefined,
        key,
        ...(isRenamed && {
          previousKeys: [...team["previousKeys"], team["key"]],
        }),
      };
      const changed = await changeRow(context, "Team", team, changes);
      if (changed["cyclesEnabled"] === true && team["cyclesEnabled"] !== true)
        await planCycles(context, changed, input.cycleEnabledStartDate);
      return { team: changed };
    },

    teamDelete: async (_source, { id }: Target, context) => {
      const team = await requireOwnTeam(context, id);
      if (team["archivedAt"] === null) await archiveIssues(context.session, team.id, context.now);
      await archiveRow(context, "Team", team);
      return { entityId: team.id };
    },

    teamUnarchive: async (_source, { id }: Target, context) => {
      const team = await requireOwnTeam(context, id);
      const archivedAt = team["archivedAt"];
      if (archivedAt) await restoreIssues(context.session, team.id, archivedAt, context.now);
      return { entity: await restoreRow(context, "Team", team) };
    },

    teamCyclesDelete: async (_source, { id }: Target, context) => {
      const team = await requireOwnTeam(context, id);
      await moveToCycle(context, await listIssuesInCycles(context.session, team.id), null);
      await deleteCycles(context.session, team.id);
      return { team: await changeRow(context, "Team", team, { cyclesEnabled: false }) };
    },
  },
};
