/** Changes and deletion of templates, by their owners, while nothing needs them as they were. */
import type { Config } from "~/config";
import { errorCode, inTransaction, type Pool, type Sql, UNIQUE_VIOLATION } from "~/db/connect";
import type { Builders } from "~/db/origins";
import { dropSchema } from "~/db/schemas";
import { ApiError } from "~/errors";
import { quoted } from "~/input/nearest";
import { nameTaken } from "~/platform/templates/creation";
import type { TemplateChange } from "~/platform/templates/model";
import * as needs from "~/platform/templates/needs-store";
import * as store from "~/platform/templates/store";
import { type Templates, view } from "~/platform/templates/templates";

export type TemplateChanges = ReturnType<typeof createTemplateChanges>;

const NAMED_MAX = 5;

export function createTemplateChanges(deps: {
  pool: Pool;
  builders: Builders;
  templates: Templates;
  config: Pick<Config, "ENVIRONMENT_POOL_TARGETS">;
}) {
  const { pool, builders, templates, config } = deps;

  async function requireOwn(sql: Sql, userId: string, idOrName: string) {
    const template = await store.findWhole(sql, userId, idOrName);
    if (!template) throw await templates.notFound(userId, idOrName);
    if (template.userId === userId) return template;
    const why =
      template.userId === null ? "a built-in one cannot be changed" : "only its owner changes it";
    throw new ApiError(
      "template_not_found",
      `You have no template ${quoted(template.name)}; ${why}`,
    );
  }

  /** Locks the template's name, and returns the template as it is then. */
  async function lockOwn(tx: Sql, userId: string, idOrName: string) {
    const { templateId, name } = await requireOwn(tx, userId, idOrName);
    await store.lockName(tx, name);
    return await requireOwn(tx, userId, templateId);
  }

  return {
    /**
     * Changes the description or the visibility. Throws `template_not_found`, `template_name_exists`, and
     * `invalid_request` if it is to become private and others need it.
     */
    async update(userId: string, idOrName: string, wanted: TemplateChange) {
      const changed = await inTransaction(pool, async (tx) => {
        const template = await lockOwn(tx, userId, idOrName);
        const { description = template.description, visibility = template.visibility } = wanted;
        if (visibility === "private" && template.visibility === "public")
          requireUnneeded(
            "become private",
            (await needs.listUsers(tx, userId, template)).filter(
              ({ isOwn, isPublic }) => isPublic || !isOwn,
            ),
          );
        const row = { ...template, description, visibility };
        await store.update(tx, row);
        return row;
      }).catch((error) => {
        throw errorCode(error) === UNIQUE_VIOLATION ? nameTaken() : error;
      });
      templates.forget(changed);
      return view(changed);
    },

    /** Deletes a template. Throws `template_not_found`, and `invalid_request` with the names of those that need it. */
    async remove(userId: string, idOrName: string) {
      const template = await inTransaction(pool, async (tx) => {
        const found = await lockOwn(tx, userId, idOrName);
        const inPool = (config.ENVIRONMENT_POOL_TARGETS?.get(found.name) ?? 0) > 0;
        requireUnneeded("be deleted", await needs.listUsers(tx, userId, found), { inPool });
        await store.remove(tx, found.templateId);
        return found;
      });
      templates.forget(template);
      await dropSchema(builders.sql, template.schemaName);
      return { templateId: template.templateId, status: "deleted" as const };
    },
  };
}

/** Throws `invalid_request` with the names of the users, but not of those that the caller cannot see. */
function requireUnneeded(
  what: string,
  users: readonly needs.TemplateUser[],
  { inPool = false }: { inPool?: boolean } = {},
): void {
  const visible = users.filter(({ isOwn, isPublic }) => isOwn || isPublic);
  const hidden = users.length - visible.length;
  const more = visible.length - NAMED_MAX;
  const list = [
    ...(inPool ? ["the pool (ENVIRONMENT_POOL_TARGETS)"] : []),
    ...visible.slice(0, NAMED_MAX).map(({ kind, name }) => `${kind} ${name}`),
    ...(more > 0 ? [`${more} more`] : []),
    ...(hidden > 0 ? [`${hidden} of other users`] : []),
  ];
  if (list.length > 0)
    throw new ApiError(
      "invalid_request",
      `The template cannot ${what}: it is needed by ${list.join(", ")}`,
    );
}
