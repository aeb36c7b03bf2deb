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

/** Answers as the service's storage does. */
async function receive(
  session: TrackerSession,
  { request, body }: ReplicaCall,
  id: string,
  signature: string,
): Promise<HttpAnswer> {
  const announced =
    request.method === "PUT" ? await findAnnounced(session, id, signature) : undefined;
  if (!announced) return mismatch("it is for one PUT to one address");
  const { contentType, size } = announced;
  if (!isOnly(request.headers.get("content-type"), contentType))
    return mismatch(`it is for the Content-Type ${contentType}`);
  const { byteLength } = body;
  if (byteLength !== size) {
    const code = byteLength > size ? "EntityTooLarge" : "EntityTooSmall";
    return rejected(400, code, `The upload has ${byteLength} bytes instead of ${size}.`);
  }
  await putUpload(session, id, body);
  return httpAnswer(200, {});
}

/** True of a header with this value, which clients send twice if they set it beside the announced headers. */
const isOnly = (header: string | null, value: string) =>
  header === value || header?.split(/,\s*/).every((each) => each === value) === true;

const mismatch = (reason: string) =>
  rejected(
    403,
    "SignatureDoesNotMatch",
    "Access denied.",
    `The request does not match its signature: ${reason}.`,
  );

function rejected(status: number, code: string, message: string, details = ""): HttpAnswer {
  const about = details && `<Details>${escapeXml(details)}</Details>`;
  return httpAnswer(
    status,
    { "Content-Type": "application/xml; charset=UTF-8" },
    `<?xml version='1.0' encoding='UTF-8'?><Error><Code>${code}</Code><Message>${message}</Message>${about}</Error>`,
  );
}

const escapeXml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const plain = (status: number, text: string) =>
  httpAnswer(status, { "Content-Type": "text/plain; charset=utf-8" }, text);
