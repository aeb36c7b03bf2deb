/** Rejections of Google's APIs. Each API has its own reasons and texts. */
import { isInvalidInput } from "~/db/connect";
import { type HttpAnswer, httpAnswer, JSON_HEADERS } from "~/wire/message";

/** A rejection in the words of an API. */
export abstract class GoogleError extends Error {
  abstract readonly reason: string;
  abstract readonly answer: HttpAnswer;
}

/** `indent`: spaces, as the API writes its answers. */
export const errorAnswer = (code: number, body: object, indent: number): HttpAnswer =>
  httpAnswer(code, JSON_HEADERS, JSON.stringify(body, null, indent));

/** A path that the service does not have. Its front end answers it, with a page. */
export class UnknownPath extends GoogleError {
  override readonly name = "UnknownPath";
  readonly reason = "notFound";

  get answer(): HttpAnswer {
    const text = "<title>Error 404 (Not Found)!!1</title><p>The requested URL was not found.";
    const type = "text/html; charset=UTF-8";
    return httpAnswer(404, { "Content-Type": type }, `<!DOCTYPE html><html lang=en>${text}\n`);
  }
}

/** The rejection behind an error. Throws a bug. `invalid`: for a value that the database cannot take. */
export function rejectionOf(error: unknown, invalid: () => GoogleError): GoogleError {
  if (error instanceof GoogleError) return error;
  if (isInvalidInput(error)) return invalid();
  throw error;
}
