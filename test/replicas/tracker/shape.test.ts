/** Names, types and defaults in which the service's schema differs from the typings of its SDK. */
import { describe, expect, test } from "bun:test";
import {
  astFromValue,
  type GraphQLArgument,
  type GraphQLInputField,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  print,
} from "graphql";
import { trackerSchema } from "~/replicas/tracker/schema";

const schema = trackerSchema();
const fieldOf = (type: string, field: string) => {
  const found = schema.getType(type);
  return isObjectType(found) || isInterfaceType(found) ? found.getFields()[field] : undefined;
};

test.each(["IDComparator", "IssueIDComparator", "EntityIdentifierIDComparator"])(
  "%s has the service's capitals",
  (name) => {
    expect(isInputObjectType(schema.getType(name))).toBeTrue();
    expect(schema.getType(name.replace("IDC", "IdC"))).toBeUndefined();
  },
);

test.each([
  ["Query", "initiativeRelation", "InitiativeRelation!"],
  ["Mutation", "initiativeRelationUpdate", "InitiativeRelationPayload!"],
  ["Mutation", "releasePipelineDelete", "ReleasePipelineArchivePayload!"],
  ["Mutation", "releaseComplete", "ReleasePayload!"],
  ["Mutation", "releaseCompleteByAccessKey", "AccessKeyReleasePayload!"],
  ["Mutation", "releaseSyncByAccessKey", "AccessKeyReleasePayload!"],
  ["Query", "latestReleaseByAccessKey", "AccessKeyRelease"],
])("%s.%s returns %s", (type, field, expected) => {
  expect(String(fieldOf(type, field)?.type)).toBe(expected);
});

test("all interfaces are the service's", () => {
  const interfaces = Object.values(schema.getTypeMap()).filter(isInterfaceType);

  expect(
    Object.fromEntries(
      interfaces.map((type) => [type.name, type.getInterfaces().map(({ name }) => name)]),
    ),
  ).toEqual({
    AiConversationBasePart: [],
    AiConversationBaseToolCall: [],
    AiConversationBaseWidget: [],
    ArchivePayload: [],
    Entity: ["Node"],
    Node: [],
    Notification: ["Entity", "Node"],
    NotificationSubscription: ["Entity", "Node"],
  });
});

const argumentOf = (type: string, field: string, name: string) =>
  fieldOf(type, field)?.args.find((argument) => argument.name === name);
const inputOf = (type: string, name: string) => {
  const found = schema.getType(type);
  return isInputObjectType(found) ? found.getFields()[name] : undefined;
};
/** As SDL shows it: `includeSubTeams: Boolean = true`. */
function shown(input: GraphQLArgument | GraphQLInputField | undefined): string {
  if (!input) return "missing";
  const { name, type, defaultValue } = input;
  const value = astFromValue(defaultValue, type);
  return `${name}: ${type}${value ? ` = ${print(value)}` : ""}`;
}

test.each([
  ["CustomView", "issues", "includeSubTeams: Boolean = false"],
  ["CustomView", "projects", "includeSubTeams: Boolean = true"],
  ["CustomView", "updates", "includeSubTeams: Boolean = false"],
  ["Mutation", "integrationGithubConnect", "codeAccess: Boolean = false"],
  ["Mutation", "integrationSalesforce", "codeVerifier: String!"],
  ["Mutation", "integrationZendesk", "subdomain: String!"],
  ["Query", "pushSubscriptionTest", "sendStrategy: SendStrategy = push"],
  ["Query", "pushSubscriptionTest", "targetMobile: Boolean = false"],
  ["Query", "releaseSearch", "first: Int = 20"],
  ["Query", "ssoUrlFromEmail", "type: IdentityProviderType! = general"],
  ["Release", "issueCount", "includeArchived: Boolean = false"],
  ["Team", "issueCount", "includeArchived: Boolean = false"],
  ["Team", "issues", "includeSubTeams: Boolean = false"],
  ["Team", "projects", "includeSubTeams: Boolean = false"],
  ["UserSettings", "theme", "deviceType: UserSettingsThemeDeviceType = desktop"],
  ["UserSettings", "theme", "mode: UserSettingsThemeMode = light"],
])("the argument of %s.%s is %s", (type, field, expected) => {
  const [name = ""] = expected.split(":");
  expect(shown(argumentOf(type, field, name))).toBe(expected);
});

test.each([
  ["AgentActivityPromptCreateInputContent", "type: AgentActivityType! = prompt"],
  ["CustomerCreateInput", "domains: [String!] = []"],
  ["CustomerCreateInput", "externalIds: [String!] = []"],
  ["CycleSort", "currentCycleFirst: Boolean = false"],
  ["DateComparator", "gt: DateTimeOrDuration"],
  ["GitAutomationTargetBranchCreateInput", "isRegex: Boolean = false"],
  ["JiraSettingsInput", "isJiraServer: Boolean = false"],
  ["NullableDateComparator", "in: [DateTimeOrDuration!]"],
  ["NullableTimelessDateComparator", "gt: TimelessDateOrDuration"],
  ["OrganizationDomainCreateInput", 'authType: String = "general"'],
  ["OrganizationInviteCreateInput", "role: UserRoleType = user"],
  ["PrioritySort", "noPriorityFirst: Boolean = false"],
  ["ProjectStatusCreateInput", "indefinite: Boolean = false"],
  ["PushSubscriptionCreateInput", "type: PushSubscriptionType = web"],
  ["WebhookCreateInput", "enabled: Boolean = true"],
  ["WorkflowStateSort", "closedIssuesOrderedByRecency: Boolean = false"],
])("the field of %s is %s", (type, expected) => {
  const [name = ""] = expected.split(":");
  expect(shown(inputOf(type, name))).toBe(expected);
});

test("every sort key puts null last", () => {
  const sorts = Object.values(schema.getTypeMap()).filter(
    (type) => isInputObjectType(type) && type.getFields()["nulls"],
  );

  expect(sorts.length).toBeGreaterThan(60);
  expect(
    sorts.map(({ name }) => shown(inputOf(name, "nulls"))).filter((one) => !/= last$/.test(one)),
  ).toEqual([]);
});

test("only pages have the arguments of a page", () => {
  expect(fieldOf("Query", "semanticSearch")?.args.map(({ name }) => name)).toEqual([
    "filters",
    "includeArchived",
    "maxResults",
    "query",
    "types",
  ]);
});

describe("no directive has a location that older libraries do not know:", () => {
  test.each(schema.getDirectives().map(({ name, locations }) => [name, locations] as const))(
    "@%s",
    (_name, locations) => {
      expect(locations as readonly string[]).not.toContain("DIRECTIVE_DEFINITION");
    },
  );
});

test.each([
  ["Query", "comment", "issueId: String"],
  ["Query", "searchDocuments", "snippetSize: Float"],
  ["Query", "searchIssues", "snippetSize: Float"],
  ["Query", "searchProjects", "snippetSize: Float"],
])("%s.%s accepts the argument of older clients %s", (type, field, expected) => {
  const [name = ""] = expected.split(":");
  const argument = argumentOf(type, field, name);

  expect(shown(argument)).toBe(expected);
  expect(argument?.deprecationReason).toBeString();
});

test.each([
  ["Document", "contentData", "JSON"],
  ["Favorite", "roadmap", "Roadmap"],
  ["Project", "milestone", "Milestone"],
])("%s.%s is kept for older clients", (type, name, expected) => {
  const field = fieldOf(type, name);

  expect([String(field?.type), typeof field?.deprecationReason]).toEqual([expected, "string"]);
});
