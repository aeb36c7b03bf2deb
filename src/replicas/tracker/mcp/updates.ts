/** Status updates of projects and initiatives. */
import { filterOf, named, resolveGiven, whereNamed } from "~/replicas/tracker/mcp/names";
import {
  act,
  change,
  getOne,
  type ListArguments,
  listPage,
  type Shape,
} from "~/replicas/tracker/mcp/shape";
import { DONE, Rejected, type Tools, type Work } from "~/replicas/tracker/mcp/tool";

type Type = "project" | "initiative";
const ENTITIES = { project: "Project", initiative: "Initiative" } as const;

const shapeOf = (type: Type): Shape => ({
  id: "id",
  body: "body",
  health: "health",
  createdAt: "createdAt",
  updatedAt: "updatedAt",
  url: "url",
  user: "user { id name }",
  [type]: `${type} { id name }`,
});

type Subject = {
  readonly type: Type;
  readonly project?: string;
  readonly initiative?: string;
};

/** The subject that was given for the type; one for the other type is rejected. */
function subjectOf(args: Subject): string | undefined {
  const other = args.type === "project" ? "initiative" : "project";
  if (args[other] !== undefined)
    throw new Rejected(`${other} cannot be used with type "${args.type}"`);
  return args[args.type];
}

type GetUpdates = ListArguments & Subject & { readonly id?: string; readonly user?: string };

async function getUpdates(args: GetUpdates, work: Work): Promise<object> {
  const { type, id, user } = args;
  const subject = subjectOf(args);
  if (id !== undefined) return await getOne(work, `${type}Update`, id, shapeOf(type));
  return await listPage(work, args, {
    plural: "statusUpdates",
    field: `${type}Updates`,
    type: `${ENTITIES[type]}Update`,
    shape: shapeOf(type),
    filter: filterOf({
      [type]: subject === undefined ? undefined : whereNamed(ENTITIES[type], subject),
      user: named("User", user),
    }),
  });
}

type SaveUpdate = Subject & {
  readonly id?: string;
  readonly body?: string;
  readonly health?: string;
  readonly isDiffHidden?: boolean;
};

async function saveUpdate(args: SaveUpdate, work: Work): Promise<object> {
  const { type, id: known, body, health, isDiffHidden } = args;
  const subject = await resolveGiven(work, ENTITIES[type], subjectOf(args));
  if (!known && subject === undefined)
    throw new Rejected(`${type} is required when creating a status update`);
  if (known && isDiffHidden !== undefined)
    throw new Rejected("isDiffHidden can only be used when creating");
  const id = known
    ? await change(work, `${type}UpdateUpdate`, { body, health }, known)
    : await change(work, `${type}UpdateCreate`, {
        body,
        health,
        isDiffHidden,
        [`${type}Id`]: subject,
      });
  return await getOne(work, `${type}Update`, id, shapeOf(type));
}

type DeleteUpdate = { readonly type: Type; readonly id: string };

export const updateTools: Tools = {
  get_status_updates: getUpdates,
  save_status_update: saveUpdate,
  delete_status_update: async ({ type, id }: DeleteUpdate, work) => {
    await act(work, `${type}UpdateArchive`, id);
    return DONE;
  },
};
