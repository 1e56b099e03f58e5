import Type, { type Static } from "typebox";
import { Id, Integer, orNull, Timestamp } from "../scalars.ts";
import { disabledReasons, type webhookFields, webhookLimits } from "./webhook.ts";

const Url = Type.String({
  format: "uri",
  minLength: 1,
  maxLength: webhookLimits.urlCharacters,
  description:
    "Where events are sent: an `https:` URL without a user name and a password. Its host must have public addresses, unless the service has ROSTER_WEBHOOK_PRIVATE=allow: it may then also be an `http:` URL.",
});
const Types = Type.Array(
  Type.String({
    pattern: "^(\\*|[a-z]+\\.(\\*|[a-z_]+))$",
    description: "A type such as `user.created`, all types of a subject such as `user.*`, or `*`.",
  }),
  {
    minItems: 1,
    maxItems: webhookLimits.types,
    uniqueItems: true,
    description: "Which events are sent.",
  },
);
const Description = Type.String({
  maxLength: webhookLimits.descriptionCharacters,
  pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]*$",
});
const FilterText = Type.String({ minLength: 1, maxLength: webhookLimits.filterCharacters });
const filterDescription =
  "A filter expression on the record of an event, as in `GET /api/users`. Null for all events.";
const activeDescription =
  "Whether events are sent. Events of the time while a webhook is not active are not sent later.";

export const DisabledReason = Type.Enum([...disabledReasons], {
  type: "string",
  description:
    "Why the service disabled a webhook. `gone`: the receiver answered 410. `failing`: every delivery of five days failed. `restored`: the database was restored from a backup.",
});

/** A webhook in a response, without its secret. */
export const Webhook = Type.Object(
  {
    id: Id,
    url: Type.String({ maxLength: webhookLimits.urlCharacters, description: "Where events are sent." }),
    types: Types,
    description: Description,
    filter: orNull(FilterText, filterDescription),
    active: Type.Boolean({ description: activeDescription }),
    disabledReason: orNull(
      DisabledReason,
      "Why the service disabled the webhook. Null if it did not, and after the webhook was activated again.",
    ),
    failingSince: orNull(
      Timestamp("When the first of the failed deliveries was sent."),
      "Every delivery since this time has failed. Null if the last delivery succeeded. Changes without a new version.",
    ),
    previousSecretUntil: orNull(
      Timestamp("When the previous secret expires or expired."),
      "Until this time, deliveries are also signed with the secret before the last rotation. Null if there was no rotation.",
    ),
    version: Integer({ minimum: 1, description: "Increases by 1 with each change." }),
    createdAt: Timestamp("When the webhook was created."),
    updatedAt: Timestamp("When the webhook was last changed."),
  },
  { description: "A webhook, without its secret." },
);
export type Webhook = Static<typeof Webhook>;

/** The response that creates a webhook or rotates its secret. */
export const WebhookWithSecret = Type.Object(
  {
    ...Webhook.properties,
    secret: Type.String({
      pattern: "^whsec_[A-Za-z0-9+/]{43}=$",
      description: "The secret that signs deliveries. Only this response contains it.",
    }),
  },
  { description: "A webhook, with its secret." },
);
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

const settings = {
  url: Url,
  types: Types,
  description: Type.Optional(orNull(Description, "What the webhook is for. Null removes it.")),
  active: Type.Optional(Type.Boolean({ description: activeDescription })),
  filter: Type.Optional(orNull(FilterText, filterDescription)),
} satisfies Record<(typeof webhookFields)[number], Type.TSchema>;

/** The body of POST /api/webhooks. */
export const WebhookInput = Type.Object(settings, {
  additionalProperties: false,
  description: "A webhook to create.",
});
export type WebhookInput = Static<typeof WebhookInput>;

/** The body of PATCH /api/webhooks/{id}. */
export const WebhookPatch = Type.Object(
  { ...settings, url: Type.Optional(Url), types: Type.Optional(Types) },
  { additionalProperties: false, description: "A merge patch: omitted fields stay." },
);
export type WebhookPatch = Static<typeof WebhookPatch>;
