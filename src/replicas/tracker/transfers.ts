/** The bytes of files, over HTTP: signed addresses for uploads, and addresses for downloads. */

import { fileAnswer } from "~/replicas/kit/stored-file";
import { uploadAddress } from "~/replicas/kit/upload-address";
import type { ReplicaCall } from "~/replicas/replica";
import { isWrongToken } from "~/replicas/tracker/identity";
import type { TableName } from "~/replicas/tracker/store/tables";
import { findAnnounced, findUploaded, putUpload } from "~/replicas/tracker/store/uploads";
import { escaped } from "~/wire/markup";
import { type HttpAnswer, httpAnswer } from "~/wire/message";

const FOLDER = "uploads/";
const ID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const SIGNED = new RegExp(`^${FOLDER}put/(${ID})/([0-9a-f]{32})$`);
const ASSET = new RegExp(`^${FOLDER}(${ID})$`);

/** Accepts the bytes in one PUT. */
export const uploadPath = (id: string, signature: string) => `${FOLDER}put/${id}/${signature}`;
export const assetPath = (id: string) => `${FOLDER}${id}`;

export const isFile = (path: string) => path.startsWith(FOLDER);

export const uploads = uploadAddress(SIGNED, findAnnounced);

/** Answers a call to the path of a file. */
export async function transfer(call: ReplicaCall<TableName>): Promise<HttpAnswer> {
  const { session } = call;
  if (uploads.matches(call.path)) return await receive(call);
  if (isWrongToken(call)) return plain(401, "The token is not valid.");
  const [, asset] = ASSET.exec(call.path) ?? [];
  const file = asset === undefined ? undefined : await findUploaded(session, asset);
  return file ? fileAnswer(file) : plain(404, "There is no such file.");
}

/** Answers as the service's storage does. */
async function receive({
  session,
  path,
  request,
  body,
}: ReplicaCall<TableName>): Promise<HttpAnswer> {
  const announced = request.method === "PUT" ? await uploads.find(session, path) : undefined;
  if (!announced) return mismatch("it is for one PUT to one address");
  const { contentType, size } = announced.file;
  if (!isOnly(request.headers.get("content-type"), contentType))
    return mismatch(`it is for the Content-Type ${contentType}`);
  const { byteLength } = body;
  if (byteLength !== size) {
    const code = byteLength > size ? "EntityTooLarge" : "EntityTooSmall";
    return rejected(400, code, `The upload has ${byteLength} bytes instead of ${size}.`);
  }
  await putUpload(session, announced.id, body);
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
  const about = details && `<Details>${escaped(details)}</Details>`;
  return httpAnswer(
    status,
    { "Content-Type": "application/xml; charset=UTF-8" },
    `<?xml version='1.0' encoding='UTF-8'?><Error><Code>${code}</Code><Message>${message}</Message>${about}</Error>`,
  );
}

const plain = (status: number, text: string) =>
  httpAnswer(status, { "Content-Type": "text/plain; charset=utf-8" }, text);
