import { expect, test } from "bun:test";
import { useSharedDatabase } from "../../../support/database";
import { useProgram } from "../../../support/program";
import { restCall } from "../../../support/rest";

const program = useProgram(useSharedDatabase());

/** The parameters that the discovery documents of Gmail v1 and Calendar v3 give to every method, besides `fields`. */
const SYSTEM = [
  ...["alt=json", "prettyPrint=false", "key=AIza", "access_token=x", "oauth_token=x", "callback=f"],
  ...["quotaUser=me", "userIp=192.0.2.1", "uploadType=media", "upload_protocol=raw", "$.xgafv=2"],
];

test.each([
  ["mail", "mail_default", "/gmail/v1/users/me/profile", 400],
  ["calendar", "calendar_default", "/calendar/v3/calendars/primary", 200],
])("%s takes the parameters of every call", async (service, templateName, path, ofUnknown) => {
  const { environmentUrl, token } = await program.environment({
    ...{ templateService: service, templateName, impersonateUserId: "agent@acme.test" },
  });
  const get = (query: string) =>
    restCall(`${program.url}${environmentUrl}${path}${query}`, "GET", {
      Authorization: `Bearer ${token}`,
    });
  const { body } = await get("");
  for (const parameter of SYSTEM) {
    const answer = await get(`?${parameter}`);
    expect([parameter, answer.status, answer.body]).toEqual([parameter, 200, body]);
  }
  expect((await get("?userip=192.0.2.1")).status).toBe(ofUnknown);
});
