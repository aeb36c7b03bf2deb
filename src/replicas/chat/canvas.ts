/** A canvas is Markdown in sections: headings, and blocks between blank lines. Each can be found and changed. */
import { hexOf, type Sourced } from "~/source";

export type Section = {
  readonly id: string;
  /** `h1`, `h2`, `h3`, or `text`. */
  readonly type: string;
  readonly markdown: string;
};

const HEADING = /^(#{1,3})\s+\S/;
const FENCE = /^(```|~~~)/;

const ID_BYTES = 6;
export const newSectionId = ({ source }: Sourced) => sectionId(hexOf(source, ID_BYTES));
export const sectionId = (unique: string) => `temp:C:${unique.slice(0, 12)}`;

const typeOf = (line: string) => {
  const marks = HEADING.exec(line)?.[1];
  return marks ? `h${marks.length}` : "text";
};

/** `idOf` names the section at this place. */
export function toSections(markdown: string, idOf: (place: number) => string): Section[] {
  const parts: { type: string; lines: string[] }[] = [];
  let open: string[] | undefined;
  let fence: string | undefined;
  for (const line of markdown.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (open && (fence !== undefined || (line.trim() !== "" && typeOf(line) === "text")))
      open.push(line);
    else if (line.trim() === "") open = undefined;
    else {
      const type = typeOf(line);
      const lines = [line];
      parts.push({ type, lines });
      open = type === "text" ? lines : undefined;
    }
    if (fence === undefined) fence = mark;
    else if (fence === mark) fence = undefined;
  }
  return parts.map(({ type, lines }, place) => ({
    id: idOf(place),
    type,
    markdown: lines.join("\n").trimEnd(),
  }));
}

export const toMarkdown = (sections: readonly Section[]) =>
  sections.map(({ markdown }) => markdown).join("\n\n");

export type Change = {
  readonly operation: string;
  readonly section_id?: string;
  readonly markdown: string;
};

/** The sections after a change; undefined when it names an unknown section, or none where one is required. */
export function applyChange(
  sourced: Sourced,
  sections: readonly Section[],
  { operation, section_id: id, markdown }: Change,
): Section[] | undefined {
  const added = toSections(markdown, () => newSectionId(sourced));
  const place = sections.findIndex((section) => section.id === id);
  if (id !== undefined && place < 0) return undefined;
  const around = (from: number, to: number) => [
    ...sections.slice(0, from),
    ...added,
    ...sections.slice(to),
  ];
  switch (operation) {
    case "insert_at_start":
      return around(0, 0);
    case "insert_at_end":
      return around(sections.length, sections.length);
    case "insert_before":
      return place < 0 ? undefined : around(place, place);
    case "insert_after":
      return place < 0 ? undefined : around(place + 1, place + 1);
    case "replace":
      return place < 0 ? added : around(place, place + 1);
    case "delete":
      return place < 0 ? undefined : around(place, place + 1);
    default:
      return undefined;
  }
}

const TYPES: Readonly<Record<string, (type: string) => boolean>> = {
  any_header: (type) => type !== "text",
  h1: (type) => type === "h1",
  h2: (type) => type === "h2",
  h3: (type) => type === "h3",
};
export const isSectionType = (type: string) => Object.hasOwn(TYPES, type);

/** Sections of one of these types (or of any, without types) that contain this text, ignoring case. */
export const findSections = (
  sections: readonly Section[],
  types: readonly string[],
  text: string | undefined,
) =>
  sections.filter(
    (section) =>
      (types.length === 0 || types.some((type) => TYPES[type]?.(section.type))) &&
      (text === undefined || section.markdown.toLowerCase().includes(text.toLowerCase())),
  );
