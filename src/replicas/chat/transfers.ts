/** Upload and download of files over HTTP. */
import { type HttpAnswer, httpAnswer, jsonAnswer, type RequestHead } from "~/message";
import { decodeText, describeText } from "~/replicas/chat/filetypes";
import type { ChatSession } from "~/replicas/chat/method";
import { readMultipart } from "~/replicas/chat/request";
import { findContent, findUpload, putContent } from "~/replicas/chat/store/contents";
import { findFile } from "~/replicas/chat/store/files";
import { publicSecret } from "~/replicas/chat/views/files";
import type { ReplicaCall } from "~/replicas/replica";
import { fileAnswer } from "~/replicas/stored-file";

const UPLOAD = /^upload\/(F[A-Z0-9]+)\/([0-9a-f]{32})$/;
const PRIVATE = /^files-pri\/T[A-Z0-9]+-(F[A-Z0-9]+)\/(download\/)?[^/]+$/;
const PUBLIC = /^files-pub\/T[A-Z0-9]+-(F[A-Z0-9]+)-([0-9a-f]{10})$/;

/** True for addresses that contain a secret: anyone who has one needs no credential. */
export const carriesSecret = (path: string) => UPLOAD.test(path) || PUBLIC.test(path);

/** True for addresses of a file's bytes. */
export const isTransfer = (path: string) => carriesSecret(path) || PRIVATE.test(path);

/** True for an upload address with the right secret. */
export async function awaitsUpload(session: ChatSession, path: string): Promise<boolean> {
  const [, id, token] = UPLOAD.exec(path) ?? [];
  return id !== undefined && token !== undefined && Boolean(await findUpload(session, id, token));
}

/** Answers a request for the bytes of a file; undefined when the path is not one of a file. */
export async function transfer(
  call: ReplicaCall,
  actor: () => Promise<string>,
): Promise<HttpAnswer | undefined> {
  const session = call.session as ChatSession;
  const upload = UPLOAD.exec(call.path);
  if (upload) return await receive(session, call, upload[1] ?? "", upload[2] ?? "");
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
async function receive(
  session: ChatSession,
  { request, body }: ReplicaCall,
  id: string,
  token: string,
): Promise<HttpAnswer> {
  const upload = await findUpload(session, id, token);
  if (!upload) return jsonAnswer({ ok: false, error: "file_not_found" });
  const bytes = await readPart(request, body);
  const plainText = decodeText(upload, bytes);
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
