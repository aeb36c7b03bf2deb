/** Rejections of parts that do not depend on each other, which one answer reports together. */
import { ApiError, STATUS } from "~/errors";
import { linesOf } from "~/input/shape";

export class Rejections {
  readonly #found: ApiError[] = [];

  /** Collects what the caller can fix, and throws anything else. */
  readonly add = (error: unknown): undefined => {
    if (!(error instanceof ApiError) || STATUS[error.code] >= 500) throw error;
    this.#found.push(error);
  };

  /** Throws them as one error, with the code of the first. */
  end(): void {
    const [first] = this.#found;
    if (first)
      throw new ApiError(
        first.code,
        linesOf([...new Set(this.#found.flatMap(({ message }) => message.split("\n")))]),
      );
  }
}
