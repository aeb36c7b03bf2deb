/** The bytes of files, over HTTP: signed addresses for uploads, and addresses for downloads. */
import type { ReplicaCall } from "~/replicas/replica";
import { fileResponse } from "~/replicas/stored-file";
import type { TrackerSession } from "~/replicas/tracker/store/tables";
import { findAnnounced, findUploaded, putUpload } from "~/replicas/tracker/store/uploads";

const ID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const SIGNED = new RegExp(`^uploads/put/(${ID})/([0-9a-f]{32})$`);
const ASSET = new RegExp(`^uploads/(${ID})$`);

/** Accepts the bytes in one PUT. */
export const uploadPath = (id: string, signature: string) => `uploads/put/${id}/${signature}`;
export const assetPath = (id: string) => `uploads/${id}`;

/** True of a signed address: it needs no credential. */
export const carriesSecret = (path: string) => SIGNED.test(path);

export async function awaitsUpload(session: TrackerSession, path: string): Promise<boolean> {
  const [, id = "", signature = ""] = SIGNED.exec(path) ?? [];
  return (await findAnnounced(session, id, signature)) !== undefined;
}

/** Undefined when the path is not that of a file. */
export async function transfer(call: ReplicaCall): Promise<Response | undefined> {
  const session = call.session as TrackerSession;
  const [, id, signature = ""] = SIGNED.exec(call.path) ?? [];
  if (id !== undefined) return await receive(session, call, id, signature);
  const [, asset] = ASSET.exec(call.path) ?? [];
  if (asset === undefined) return undefined;
  const file = await findUploaded(session, asset);
  return file ? fileResponse(file) : plain(404, "There is no such file.");
}

/** Responses in the form of the service's storage: a status and a sentence. */
async function receive(
  session: TrackerSession,
  { request, body }: ReplicaCall,
  id: string,
  signature: string,
): Promise<Response> {
  if (request.method !== "PUT") return plain(405, "An upload must use PUT.", { Allow: "PUT" });
  const announced = await findAnnounced(session, id, signature);
  if (!announced) return plain(403, "The signature does not match.");
  const type = request.headers.get("content-type") ?? "";
  if (type !== announced.contentType)
    return plain(403, `The signature is for the Content-Type ${announced.contentType}.`);
  if (body.byteLength !== announced.size)
    return plain(400, `The file has ${body.byteLength} bytes; ${announced.size} were announced.`);
  await putUpload(session, id, body);
  return new Response(null, { status: 200 });
}

const plain = (status: number, text: string, headers: Record<string, string> = {}) =>
  new Response(text, {
    status,
    headers: { "Content-Type": "text/plain; charset=utf-8", ...headers },
  });
