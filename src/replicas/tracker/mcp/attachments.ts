/** Attachments, their files, and the images of a text. */
import { createHash } from "node:crypto";
import { isUuid } from "~/graphql/uuid";
import type { StoredFile } from "~/replicas/kit/stored-file";
import { imagesOf } from "~/replicas/tracker/mcp/markdown";
import { act, getOne, type Shape } from "~/replicas/tracker/mcp/shape";
import {
  Content,
  DONE,
  type Image,
  Rejected,
  type Tools,
  type Work,
} from "~/replicas/tracker/mcp/tool";
import { requireRow } from "~/replicas/tracker/require";
import { findUploaded, putUpload } from "~/replicas/tracker/store/uploads";
import { assetPath } from "~/replicas/tracker/transfers";

const ATTACHMENT: Shape = {
  id: "id",
  title: "title",
  subtitle: "subtitle",
  url: "url",
  createdAt: "createdAt",
  updatedAt: "updatedAt",
};

type File = { readonly id: string; readonly file: StoredFile };

/** The file of this environment at an address, if it was uploaded. */
async function fileAt(url: string, { context }: Work): Promise<File | undefined> {
  const id = url.slice(`${context.baseUrl}/${assetPath("")}`.length);
  if (!isUuid(id) || url !== `${context.baseUrl}/${assetPath(id)}`) return undefined;
  const file = await findUploaded(context.session, id);
  return file && { id, file };
}

const isText = (type: string) =>
  /^text\/|^application\/(json|xml|yaml|x-yaml|javascript)\b|\+(json|xml)\b/.test(type);
const imageOf = ({ content, mimetype }: StoredFile): Image => ({
  data: Buffer.from(content).toString("base64"),
  mimeType: mimetype,
});

async function getAttachment({ id }: { readonly id: string }, work: Work): Promise<unknown> {
  const attachment = await requireRow(work.context, "Attachment", id);
  const found = await fileAt(attachment.url, work);
  if (!found) return await getOne(work, "attachment", attachment.id, ATTACHMENT);
  const { mimetype: contentType, name: filename, content } = found.file;
  if (contentType.startsWith("image/")) return new Content(filename, [imageOf(found.file)]);
  if (isText(contentType)) return new Content(new TextDecoder().decode(content));
  return { filename, contentType, base64Content: Buffer.from(content).toString("base64") };
}

type Names = { readonly issue: string; readonly title?: string; readonly subtitle?: string };
type Announcement = {
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
};

const UPLOAD = `mutation($filename: String!, $contentType: String!, $size: Int!) {
  fileUpload(filename: $filename, contentType: $contentType, size: $size) {
    uploadFile { assetUrl uploadUrl headers { key value } }
  }
}`;

async function announce({ filename, contentType, size }: Announcement, { ask }: Work) {
  const { fileUpload } = await ask(UPLOAD, { filename, contentType, size });
  const { assetUrl, uploadUrl: url, headers } = fileUpload.uploadFile;
  const pairs = headers.map(({ key, value }: { key: string; value: string }) => [key, value]);
  return { assetUrl, url, headers: Object.fromEntries(pairs) };
}

async function prepareUpload(args: Names & Announcement, work: Work): Promise<object> {
  await requireRow(work.context, "Issue", args.issue);
  const { assetUrl, url, headers } = await announce(args, work);
  return { assetUrl, uploadRequest: { url, method: "PUT", headers } };
}

const ATTACH = `mutation($input: AttachmentCreateInput!) {
  attachmentCreate(input: $input) { attachment { id } }
}`;

async function attach({ issue, subtitle }: Names, title: string, url: string, work: Work) {
  const issueId = (await requireRow(work.context, "Issue", issue)).id;
  const data = await work.ask(ATTACH, { input: { issueId, url, title, subtitle } });
  return await getOne(work, "attachment", data.attachmentCreate.attachment.id, ATTACHMENT);
}

async function attachUpload(args: Names & { readonly assetUrl: string }, work: Work) {
  const found = await fileAt(args.assetUrl, work);
  if (!found)
    throw new Rejected("Could not find an uploaded file at assetUrl: upload the bytes first");
  return await attach(args, args.title ?? found.file.name, args.assetUrl, work);
}

type Create = Names & {
  readonly base64Content: string;
  readonly filename: string;
  readonly contentType: string;
  readonly size?: number;
  readonly sha256: string;
};

/** A loop: a pattern like `=+$` takes quadratic time where the padding is inside the text. */
function withoutPadding(base64: string): string {
  let end = base64.length;
  while (base64[end - 1] === "=") end--;
  return base64.slice(0, end);
}

async function createAttachment(args: Create, work: Work): Promise<object> {
  const { base64Content, filename, contentType, size, sha256 } = args;
  const content = Buffer.from(base64Content, "base64");
  if (withoutPadding(content.toString("base64")) !== withoutPadding(base64Content))
    throw new Rejected("base64Content is not valid base64");
  if (size !== undefined && size !== content.byteLength)
    throw new Rejected(`size is ${size}, but the content has ${content.byteLength} bytes`);
  if (createHash("sha256").update(content).digest("hex") !== sha256.toLowerCase())
    throw new Rejected("sha256 does not match the content");
  const { assetUrl } = await announce({ filename, contentType, size: content.byteLength }, work);
  await putUpload(work.context.session, assetUrl.slice(assetUrl.lastIndexOf("/") + 1), content);
  return await attach(args, args.title ?? filename, assetUrl, work);
}

/** Images in one result. */
const IMAGES_MAX = 20;

/** The images of this environment; nothing is fetched from elsewhere. */
async function extractImages({ markdown }: { readonly markdown: string }, work: Work) {
  const urls = [...new Set(imagesOf(markdown))];
  const images: Image[] = [];
  const others: string[] = [];
  for (const url of urls) {
    const found = images.length < IMAGES_MAX ? await fileAt(url, work) : undefined;
    if (found?.file.mimetype.startsWith("image/")) images.push(imageOf(found.file));
    else others.push(url);
  }
  if (urls.length === 0) return new Content("The text has no images.");
  const [one, rest] = [images.length, others.join(", ")];
  return new Content(
    rest === "" ? `Images: ${one}` : `Images: ${one}. Not available: ${rest}`,
    images,
  );
}

export const attachmentTools: Tools = {
  get_attachment: getAttachment,
  prepare_attachment_upload: prepareUpload,
  create_attachment_from_upload: attachUpload,
  create_attachment: createAttachment,
  delete_attachment: async ({ id }: { readonly id: string }, work) => {
    await act(work, "attachmentDelete", id);
    return DONE;
  },
  extract_images: extractImages,
};
