/** The errors of the router. */
import type { TSchema } from "@sinclair/typebox";
import { ValidationError } from "elysia";
import { ApiError } from "~/errors";
import { ClientGone } from "~/http/incoming";

/** An error of Elysia as ours; any other as it is. */
export function translated(error: unknown): unknown {
  if (error instanceof ValidationError) {
    if (error.type === "response") return error; // a bug of ours
    const [first] = error.all as { path?: string; message?: string; schema?: TSchema }[];
    const field = (first?.path ?? "").replace(/^\//, "").replaceAll("/", ".") || error.type;
    return new ApiError(
      "invalid_request",
      `${field}: ${choiceOf(first?.schema) ?? first?.message ?? "does not fit its shape"}`,
    );
  }
  // A parser's error is wrapped.
  if (error instanceof Error && isCause(error.cause)) return error.cause;
  return error;
}

const isCause = (cause: unknown) => cause instanceof ApiError || cause instanceof ClientGone;

/** The values that a union of literals allows. */
function choiceOf(schema: TSchema | undefined): string | undefined {
  const literals: TSchema[] = schema?.["anyOf"] ?? [];
  if (literals.length === 0 || !literals.every((literal) => "const" in literal)) return undefined;
  return `one of ${literals.map((literal) => literal["const"]).join(", ")} is needed`;
}
