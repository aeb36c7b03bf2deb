/** The errors of the router. */
import { ValidationError } from "elysia";
import { ApiError } from "~/errors";
import { readablePath } from "~/input/shape";
import { ClientGone } from "~/wire/incoming";

/** An error of Elysia as ours; any other as it is. */
export function translated(error: unknown): unknown {
  if (error instanceof ValidationError) {
    if (error.type === "response") return error; // a bug of ours
    const [first] = error.all as { path?: string; message?: string }[];
    const field = readablePath(first?.path ?? "") || error.type;
    return new ApiError(
      "invalid_request",
      `${field}: ${first?.message ?? "does not fit its shape"}`,
    );
  }
  // A parser's error is wrapped.
  if (error instanceof Error && isCause(error.cause)) return error.cause;
  return error;
}

const isCause = (cause: unknown) => cause instanceof ApiError || cause instanceof ClientGone;
