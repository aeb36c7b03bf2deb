/** The text of HTML. */
import { expect, test } from "bun:test";
import { textOfHtml } from "~/replicas/mail/mime/text";

test.each(["\f", "\r", "\u00a0", "\u2003"])(
  "a long space of %j is read in a short time",
  (space) => {
    const before = process.cpuUsage();
    const text = textOfHtml(`<p>a${space.repeat(100_000)}b</p><br> \f <br>c`);

    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2_000);
    expect(text).toEndWith("b\nc");
  },
);
