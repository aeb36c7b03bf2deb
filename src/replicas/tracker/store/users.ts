import type { TrackerSession } from "~/replicas/tracker/store/tables";

/** The id of an active user, by id or by email. */
export async function findUserId(
  { sql, t }: TrackerSession,
  by: { readonly id: string } | { readonly email: string },
): Promise<string | undefined> {
  const [user] =
    "id" in by
      ? await sql<
          { id: string }[]
        >`select id from ${t.users} where id::text = lower(${by.id}) and active`
      : await sql<{ id: string }[]>`
          select id from ${t.users} where lower(email) = lower(${by.email}) and active limit 1
        `;
  return user?.id;
}
