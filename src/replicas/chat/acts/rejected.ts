import { ApiError } from "~/errors";

/** A person cannot do that. `path`: of the field that says so. */
export const rejected = (path: string, problem: string) =>
  new ApiError("invalid_request", `act.${path}: ${problem}`);
