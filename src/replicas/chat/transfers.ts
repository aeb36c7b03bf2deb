/** Upload and download of files over HTTP. */

import { decodeText, describeText } from "~/replicas/chat/filetypes";
import type { ChatSession, TableName } from "~/replicas/chat/method";
import { readMultipart } from "~/replicas/chat/request";
import { findContent, findUpload, putContent } from "~/replicas/chat/store/contents";
import { findFile } from "~/replicas/chat/store/files";
import { publicSecret } from "~/replicas/chat/views/files";
import { fileAnswer } from "~/replicas/kit/stored-file";
import { uploadAddress } from "~/replicas/kit/upload-address";
import type { ReplicaCall } from "~/replicas/replica";
import { type HttpAnswer, httpAnswer, jsonAnswer, type RequestHead } from "~/wire/message";

const UPLOAD = /^upload\/(F[A-Z0-9]+)\/([0-9a-f]{32})$/;
const PRIVATE = /^files-pri\/T[A-Z0-9]+-(F[A-Z0-9]+)\/(download\/)?[^/]+$/;
const PUBLIC = /^files-pub\/T[A-Z0-9]+-(F[A-Z0-9]+)-([0-9a-f]{10})$/;

export const uploads = uploadAddress(UPLOAD, findUpload);

/** True for addresses that contain a secret: anyone who has one needs no credential. */
export const carriesSecret = (path: string) => uploads.matches(path) || PUBLIC.test(path);

/** True for addresses of a file's bytes. */
export const isTransfer = (path: string) => carriesSecret(path) || PRIVATE.test(path);

/** Answers a request for the bytes of a file; undefined when the path is not one of a file. */
export async function transfer(
  call: ReplicaCall<TableName>,
  actor: () => Promise<string>,
): Promise<HttpAnswer | undefined> {
  const { session } = call;
  if (uploads.matches(call.path)) return await receive(call);
  const [, id, download] = PRIVATE.exec(call.path) ?? [];
  if (id) {
    const file = await findFile(session, await actor(), id);
    return await serve(session, file?.is_visible ? id : undefined, download !== undefined);
  }
  const [, publicId, secret] = PUBLIC.exec(call.path) ?? [];
  if (!publicId) return undefined;
  const file = await findFile(session, call.actor, publicId);
  const isOpen = file?.public_url_shared === true && publicSecret(file) === secret;
  return await serve(session, isOpen ? publicId : undefined, false);
}

/** With any status but 200, the official client retries for half an hour. */
async function receive({
  session,
  path,
  request,
  body,
}: ReplicaCall<TableName>): Promise<HttpAnswer> {
  const announced = await uploads.find(session, path);
  if (!announced) return jsonAnswer({ ok: false, error: "file_not_found" });
  const { id, file } = announced;
  const bytes = await readPart(request, body);
  const plainText = decodeText(file, bytes);
  const mode = plainText === null ? "hosted" : "snippet";
  await putContent(session, id, { bytes, mode, plainText, ...describeText(plainText) });
  return httpAnswer(200, { "Content-Type": TEXT_TYPE }, `OK - ${bytes.byteLength}`);
}

/** The first file of a multipart body, whatever its name; any other body is the file itself. */
async function readPart(request: RequestHead, body: Uint8Array): Promise<Uint8Array> {
  const type = request.headers.get("content-type") ?? "";
  if (!type.startsWith("multipart/form-data")) return body;
  const fields = await readMultipart(request, body).catch(() => []);
  return fields.map(([, value]) => value).find((value) => typeof value !== "string") ?? body;
}

const TEXT_TYPE = "text/plain; charset=utf-8";

async function serve(
  session: ChatSession,
  id: string | undefined,
  download: boolean,
): Promise<HttpAnswer> {
  const found = id === undefined ? undefined : await findContent(session, id);
  // Not a method of the client, so nothing retries: the status can be 404.
  if (!found) return jsonAnswer({ ok: false, error: "file_not_found" }, 404);
  return fileAnswer(found, download);
}
