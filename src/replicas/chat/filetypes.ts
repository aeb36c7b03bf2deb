/** The service's file types. */
import { utf8 } from "~/wire/message";

type FileType = {
  readonly filetype: string;
  readonly mimetype: string;
  readonly prettyType: string;
};

/** Extensions; the service's name of the type; its MIME type; its display name. */
const TABLE: readonly (readonly [string, string, string, string])[] = [
  ["txt log", "text", "text/plain", "Plain Text"],
  ["md markdown", "markdown", "text/markdown", "Markdown"],
  ["csv", "csv", "text/csv", "CSV"],
  ["tsv", "tsv", "text/tab-separated-values", "TSV"],
  ["json", "json", "application/json", "JSON"],
  ["yaml yml", "yaml", "text/yaml", "YAML"],
  ["xml", "xml", "application/xml", "XML"],
  ["html htm", "html", "text/html", "HTML"],
  ["css", "css", "text/css", "CSS"],
  ["js mjs cjs", "javascript", "text/javascript", "JavaScript"],
  ["ts tsx", "typescript", "text/plain", "TypeScript"],
  ["py", "python", "text/x-python", "Python"],
  ["rb", "ruby", "text/x-ruby", "Ruby"],
  ["go", "go", "text/plain", "Go"],
  ["rs", "rust", "text/plain", "Rust"],
  ["java", "java", "text/x-java", "Java"],
  ["kt", "kotlin", "text/plain", "Kotlin"],
  ["swift", "swift", "text/plain", "Swift"],
  ["c h", "c", "text/x-csrc", "C"],
  ["cpp cc hpp", "cpp", "text/x-c++src", "C++"],
  ["php", "php", "text/x-php", "PHP"],
  ["sh bash", "shell", "text/x-sh", "Shell"],
  ["sql", "sql", "text/plain", "SQL"],
  ["diff patch", "diff", "text/x-diff", "Diff"],
  ["png", "png", "image/png", "PNG"],
  ["jpg jpeg", "jpg", "image/jpeg", "JPEG"],
  ["gif", "gif", "image/gif", "GIF"],
  ["webp", "webp", "image/webp", "WebP"],
  ["svg", "svg", "image/svg+xml", "SVG"],
  ["pdf", "pdf", "application/pdf", "PDF"],
  [
    "docx",
    "docx",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "Word Document",
  ],
  [
    "xlsx",
    "xlsx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "Excel Spreadsheet",
  ],
  [
    "pptx",
    "pptx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "PowerPoint Presentation",
  ],
  ["zip", "zip", "application/zip", "Zip"],
  ["gz tgz", "gzip", "application/gzip", "Gzip"],
  ["tar", "tar", "application/x-tar", "Tar"],
  ["mp3", "mp3", "audio/mpeg", "MP3"],
  ["mp4", "mp4", "video/mp4", "MPEG 4 Video"],
  ["ics", "ics", "text/calendar", "Calendar"],
  ["eml", "email", "message/rfc822", "Email"],
];

const BINARY: FileType = {
  filetype: "binary",
  mimetype: "application/octet-stream",
  prettyType: "Binary",
};

const byExtension = new Map<string, FileType>();
const byName = new Map<string, FileType>([
  ["quip", { filetype: "quip", mimetype: "application/vnd.slack-docs", prettyType: "Canvas" }],
  ["remote", { filetype: "remote", mimetype: "application/octet-stream", prettyType: "Remote" }],
]);
for (const [extensions, filetype, mimetype, prettyType] of TABLE) {
  const type = { filetype, mimetype, prettyType };
  byName.set(filetype, type);
  for (const extension of extensions.split(" ")) byExtension.set(extension, type);
}

/** The type by a file's name. */
export const typeOfName = (name: string): FileType =>
  byExtension.get(/\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "") ?? BINARY;

/** The type of that name; undefined if there is none. */
export const findType = (filetype: string): FileType | undefined => byName.get(filetype);

export const isText = ({ mimetype }: Pick<FileType, "mimetype">) =>
  /^(text\/|message\/|application\/(json|xml)$)/.test(mimetype);

/** Programs, which a workspace does not accept. */
const REFUSED = /\.(exe|bat|cmd|com|scr|msi|dll|vbs|ps1|jar|apk|dmg)$/i;
export const isRefused = (name: string) => REFUSED.test(name);

/** The values of `types` of files.list. */
export const FILE_KINDS = {
  all: [],
  spaces: ["quip"],
  snippets: [],
  images: ["png", "jpg", "gif", "webp", "svg"],
  gdocs: ["gdoc", "gsheet", "gpres"],
  zips: ["zip", "gzip", "tar"],
  pdfs: ["pdf"],
} as const satisfies Record<string, readonly string[]>;
export type FileKind = keyof typeof FILE_KINDS;

/** Lines of a preview. */
export const PREVIEW_LINES = 5;
const PREVIEW_CHARACTERS = 1_000;

/** The text of a text file; null for any other file, or when the bytes are not text. */
export function decodeText(type: Pick<FileType, "mimetype">, bytes: Uint8Array): string | null {
  if (!isText(type)) return null;
  try {
    const text = utf8(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

/** The columns that describe a file's text. */
export function describeText(text: string | null) {
  if (text === null) return { preview: null, lines: null };
  const lines = text.split("\n");
  return {
    preview: lines.slice(0, PREVIEW_LINES).join("\n").slice(0, PREVIEW_CHARACTERS),
    lines: lines.length,
  };
}
