/** Shapes of the apps that receive an environment's events. */
import { type Static, t } from "elysia";
import { ServiceName, UserId } from "~/http/model";

const APPS_MAX = 20;
const NAMES_MAX = 200;
const NAME_LENGTH_MAX = 64;

const Name = t.String({ minLength: 1, maxLength: NAME_LENGTH_MAX });
export const AppId = t.String({
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  description:
    "Id of the app: one of the template's, or any in the form of the service: some have UUIDs",
  examples: ["A01AGENTBOT"],
});
export const EventTypes = t.Array(Name, {
  maxItems: NAMES_MAX,
  description: "The types of events that it subscribes to, as the service names them",
  examples: [["message.channels", "app_mention"]],
});
export const SigningSecret = t.Nullable(t.String({ examples: ["0d1f".repeat(8)] }), {
  description: "The app checks the signatures of requests with it. Null if the service signs none",
});
const REQUEST_URL_LENGTH_MAX = 2_000;
export const RequestUrl = t.String({
  pattern: "^[Hh][Tt][Tt][Pp][Ss]?://",
  maxLength: REQUEST_URL_LENGTH_MAX,
  description:
    "The address to which the server posts the app's events, if EVENT_TARGETS allows it. Omitted: the app opens connections",
  examples: ["http://127.0.0.1:3001/events"],
});
const SCOPES = {
  maxItems: NAMES_MAX,
  description: "The scopes that it has, where the service gives events by scopes. Omitted: all",
  examples: [["channels:history", "app_mentions:read"]],
};

export const Scopes = t.Array(Name, SCOPES);

const DOMAINS_MAX = 5;
const DOMAIN = "^[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)+$";
const DOMAIN_LENGTH_MAX = 253;
export const Domains = t.Array(t.String({ pattern: DOMAIN, maxLength: DOMAIN_LENGTH_MAX }), {
  maxItems: DOMAINS_MAX,
  description:
    "The domains, each with its subdomains, whose links it previews, where the service has events of links (`link_shared`)",
  examples: [["acme.test"]],
});

const NewEventApp = t.Object(
  {
    app: AppId,
    service: t.Optional({
      ...ServiceName,
      description: "Of a world: the app's service, if several have events",
    }),
    userId: t.Optional(
      t.String({
        ...UserId,
        description:
          "The user that the app acts as. Omitted: that of the app, if the template has it, else the environment's own",
      }),
    ),
    events: EventTypes,
    scopes: t.Optional(Scopes),
    domains: t.Optional(Domains),
    requestUrl: t.Optional(RequestUrl),
  },
  { title: "NewEventApp", description: "An app that receives events" },
);

export const NewEventApps = t.Object(
  {
    apps: t.Array(NewEventApp, {
      maxItems: APPS_MAX,
      description: "The apps that receive events; they replace those from before",
    }),
  },
  {
    title: "NewEventApps",
    description: "The apps of an environment that receive events",
    examples: [{ apps: [{ app: "A01AGENTBOT", events: ["message.channels", "app_mention"] }] }],
  },
);
export type NewEventApps = Static<typeof NewEventApps>;

export const CreatedApp = t.Object(
  {
    app: AppId,
    service: ServiceName,
    userId: t.String({ ...UserId, description: "The user that the app acts as" }),
    token: t.String({
      description:
        "With which the app opens connections for its events; where it opens none, the environment's token. Shown once",
      examples: [`xapp-1-A01AGENTBOT-diorama_e_${"0".repeat(49)}`],
    }),
    signingSecret: SigningSecret,
  },
  { title: "CreatedApp", description: "An app of a new environment, with its token" },
);
