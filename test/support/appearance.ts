/**
 * The appearance of a page, compared with an accepted one.
 *
 * Pixels differ from machine to machine with the fonts, so what is compared is what does not: the boxes of a page's parts,
 * and its picture scaled down to a few cells, in which letters are a grey that hardly varies. `RENEW_PICTURES=1` accepts
 * what is there.
 */
import type { Page } from "playwright-core";

/** Parts whose boxes follow from the layout, not from the width of a text. */
const PARTS = [
  ...["body > nav", ".bar", "main", ".head", "h1", "h2", ".filters", ".tiles", ".chart", ".pair"],
  ...[".scroll", ".empty", ".failure", ".rooms", ".side", ".room", ".board", ".board > section"],
  ...[".virtual", ".code", ".prompt", ".failures", ".places", "dialog[open]", ".tabs"],
];
const PARTS_MAX = 40;
const COLUMNS = 16;
const ROWS = 10;
/** In pixels: a scroll bar, or rounding. */
const ACROSS = 24;
/** A line that wraps elsewhere moves what is below it. */
const DOWN = 56;
const DOWN_PART = 0.1;
/** Of 15 steps of a colour. */
const STEPS = 2;
/** Cells that may differ: a text that ends elsewhere. */
const CELLS_MAX = 8;

type Appearance = {
  /** `selector x y width height`, in the order of the document. */
  readonly boxes: readonly string[];
  /** Three hexadecimal digits for each cell. */
  readonly cells: string;
};

const boxesOf = async (page: Page) =>
  (await page.evaluate(`(() => {
    const parts = ${JSON.stringify(PARTS)};
    return [...document.querySelectorAll(parts.join(","))]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .slice(0, ${PARTS_MAX})
      .map((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        const name = parts.find((part) => element.matches(part));
        const isText = /^h[12]$/.test(name);
        return [name.replaceAll(" ", ""), ...[x, y + scrollY, isText ? 0 : width, height].map(Math.round)].join(" ");
      });
  })()`)) as string[];

/** The browser itself scales the picture, as no library here reads one. */
async function cellsOf(page: Page): Promise<string> {
  const picture = (await page.screenshot()).toString("base64");
  return (await page.evaluate(`(async () => {
    const image = new Image();
    image.src = "data:image/png;base64,${picture}";
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [${COLUMNS}, ${ROWS}];
    const context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, ${COLUMNS}, ${ROWS});
    const { data } = context.getImageData(0, 0, ${COLUMNS}, ${ROWS});
    return [...data].filter((_, at) => at % 4 < 3).map((value) => Math.round(value / 17).toString(16)).join("");
  })()`)) as string;
}

/** Describes each difference beyond the tolerances. */
function differences(accepted: Appearance, found: Appearance): string[] {
  const names = ({ boxes }: Appearance) => boxes.map((box) => box.split(" ")[0]).join(" ");
  if (names(accepted) !== names(found))
    return [`parts: ${names(found)}, accepted: ${names(accepted)}`];
  const moved = accepted.boxes.flatMap((box, n) => {
    const [name, ...before] = box.split(" ");
    const [, ...after] = (found.boxes[n] ?? "").split(" ");
    const isFar = before.some((value, at) => {
      const [from, to] = [Number(value), Number(after[at])];
      const allowed = at % 2 === 0 ? ACROSS : DOWN + DOWN_PART * from;
      return Math.abs(from - to) > allowed;
    });
    return isFar ? [`${name}: ${after.join(" ")}, accepted: ${before.join(" ")}`] : [];
  });
  const digits = [...found.cells];
  const changed = new Set(
    [...accepted.cells].flatMap((digit, at) => {
      const away = Math.abs(Number.parseInt(digit, 16) - Number.parseInt(digits[at] ?? "", 16));
      return away <= STEPS ? [] : [Math.floor(at / 3)];
    }),
  );
  if (changed.size > CELLS_MAX) moved.push(`colours of ${changed.size} cells of ${COLUMNS * ROWS}`);
  return moved;
}

const isRenewing = process.env["RENEW_PICTURES"] === "1";

/** Compares pages with those in `file`, a path from this folder's parent. */
export function useAccepted(file: string) {
  const path = `${import.meta.dir}/../${file}`;
  const read = async () =>
    (await Bun.file(path).exists())
      ? ((await Bun.file(path).json()) as Readonly<Record<string, Appearance>>)
      : {};
  return {
    /** The differences from the accepted appearance; nothing while it is renewed. */
    async differencesOf(page: Page, name: string): Promise<string[]> {
      const found = { boxes: await boxesOf(page), cells: await cellsOf(page) };
      const accepted = await read();
      if (isRenewing) {
        const all = Object.entries({ ...accepted, [name]: found });
        const sorted = Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)));
        await Bun.write(path, `${JSON.stringify(sorted, null, 2)}\n`);
        return [];
      }
      const before = accepted[name];
      return before ? differences(before, found) : [`${name} has no accepted appearance`];
    },
  };
}
