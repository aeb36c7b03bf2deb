/** The hosts that `diorama intercept` redirects: whole domains of some services, exact names of others. */
import { expect, test } from "bun:test";
import { createTargets } from "~/commands/intercept/targets";

const WORLD = "http://127.0.0.1:3000/api/env/e/services";
const targets = createTargets([{ serviceUrl: WORLD, token: "t" }], ["acme.slack.com"]);
const serviceOf = (host: string, path = "/") =>
  targets.find(host, path)?.serviceUrl.slice(WORLD.length + 1);

test.each([
  ["slack.com", "chat"],
  ["acme.slack.com", "chat"],
  ["API.LINEAR.APP", "tracker"],
  ["gmail.googleapis.com", "mail"],
  ["googleapis.com", undefined],
  ["storage.googleapis.com", undefined],
  ["x.gmail.googleapis.com", undefined],
  ["notslack.com", undefined],
])("%s leads to %s", (host, service) => {
  expect(serviceOf(host)).toBe(service);
  expect(targets.has(host)).toBe(service !== undefined);
});

test("of a host that services share, the path chooses", () => {
  expect(serviceOf("www.googleapis.com", "/gmail/v1/users/me/profile")).toBe("mail");
  expect(serviceOf("www.googleapis.com", "/upload/gmail/v1/users/me/messages/send")).toBe("mail");
  expect(serviceOf("www.googleapis.com", "/calendar/v3/calendars/primary")).toBe("calendar");
  expect(serviceOf("oauth2.googleapis.com", "/token")).toBeDefined();
});

test("the certificate has whole domains, and each exact name", () => {
  expect(targets.certificateNames).toEqual(expect.arrayContaining(["slack.com", "*.slack.com"]));
  expect(targets.certificateNames).toEqual(
    expect.arrayContaining(["gmail.googleapis.com", "acme.slack.com"]),
  );
  expect(targets.certificateNames).not.toContain("*.googleapis.com");
  expect(targets.names).toEqual(
    expect.arrayContaining(["oauth2.googleapis.com", "acme.slack.com"]),
  );
});

test("a further host must be below the domain of a service", () => {
  const mail = { serviceUrl: `${WORLD}/mail`, token: "t" };
  expect(() => createTargets([mail], ["acme.slack.com"])).toThrow("is not below a domain");
});
