/** The bytes of files, over HTTP: signed addresses for uploads, and addresses for downloads. */
import { type HttpAnswer, httpAnswer } from "~/message";
import type { ReplicaCall } from "~/replicas/replica";
import { fileAnswer } from "~/replicas/stored-file";
import { isWrongToken } from "~/replicas/tracker/identity";
import type { TrackerSession } from "~/replicas/tracker/store/tables";
import { findAnnounced, findUploaded, putUpload } from "~/replicas/tracker/store/uploads";

const FOLDER = "uploads/";
const ID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const SIGNED = new RegExp(`^${FOLDER}put/(${ID})/([0-9a-f]{32})$`);
const ASSET = new RegExp(`^${FOLDER}(${ID})$`);

/** Accepts the bytes in one PUT. */
export const uploadPath = (id: string, signature: string) => `${FOLDER}put/${id}/${signature}`;
export const assetPath = (id: string) => `${FOLDER}${id}`;

export const isFile = (path: string) => path.startsWith(FOLDER);

/** True of a signed address: it needs no credential. */
export const carriesSecret = (path: string) => SIGNED.test(path);

export async function awaitsUpload(session: TrackerSession, path: string): Promise<boolean> {
  const [, id = "", signature = ""] = SIGNED.exec(path) ?? [];
  return (await findAnnounced(session, id, signature)) !== undefined;
}

/** Answers a call to the path of a file. */
export async function transfer(call: ReplicaCall): Promise<HttpAnswer> {
  const session = call.session as TrackerSession;
  const [, id, signature = ""] = SIGNED.exec(call.path) ?? [];
  if (id !== undefined) return await receive(session, call, id, signature);
  if (isWrongToken(call)) return plain(401, "The token is not valid.");
  const [, asset] = ASSET.exec(call.path) ?? [];
  const file = asset === undefined ? undefined : await findUploaded(session, asset);
  return file ? fileAnswer(file) : plain(404, "There is no such file.");
}

/** Responses in the form of the service's storage: a status and a sentence. */
async function receive(
  session: TrackerSession,
  { request, body }: ReplicaCall,
  id: string,
  signature: string,
): Promise<HttpAnswer> {
  if (request.method !== "PUT") return plain(405, "An upload must use PUT.", { Allow: "PUT" });
  const announced = await findAnnounced(session, id, signature);
  if (!announced) return plain(403, "The signature does not match.");
  const type = request.headers.get("content-type") ?? "";
  if (type !== announced.contentType)
    return plain(403, `The signature is for the Content-Type ${announced.contentType}.`);
  if (body.byteLength !== announced.size)
    return plain(400, `The file has ${body.byteLength} bytes; ${announced.size} were announced.`);
  await putUpload(session, id, body);
  return httpAnswer(200, {});
}

const plain = (status: number, text: string, headers: Record<string, string> = {}) =>
  httpAnswer(status, { "Content-Type": "text/plain; charset=utf-8", ...headers }, text);
