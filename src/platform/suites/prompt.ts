/** Prompts that name the time: `{{now}}` stands for it. */

const NOW = /\{\{\s*now\s*\}\}/g;
const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeZone: "UTC" });

export const namesTime = (prompt: string): boolean => prompt.search(NOW) >= 0;

/** The prompt at this time, as an agent gets it. */
export const promptAt = (prompt: string, now: Date | string): string =>
  prompt.replaceAll(NOW, () => inWords(new Date(now)));

/** Such as "Friday 13 February 2026, 09:00 UTC". */
const inWords = (time: Date) =>
  `${DAY.format(time).replace(",", "")}, ${time.toISOString().slice(11, 16)} UTC`;
