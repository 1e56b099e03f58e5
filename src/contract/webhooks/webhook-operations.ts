import Type from "typebox";
import { etag, link, location } from "../headers.ts";
import { mediaTypes, type Operation } from "../operation.ts";
import { idPageParameters, idParameter, ifMatch, readIfMatch } from "../parameters.ts";
import type { ProblemType } from "../problems.ts";
import { webhookLimits } from "./webhook.ts";
import { Webhook, WebhookInput, WebhookPatch, WebhookWithSecret } from "./webhook-schemas.ts";

const mirrorInput = {
  url: "https://hooks.example.com/roster",
  types: ["user.*"],
  description: "Mirrors users into the CRM",
};
const mirror: Webhook = {
  id: 3,
  ...mirrorInput,
  filter: null,
  active: true,
  disabledReason: null,
  failingSince: null,
  previousSecretUntil: null,
  version: 1,
  createdAt: "2026-11-16T08:00:00.000Z",
  updatedAt: "2026-11-16T08:00:00.000Z",
};
const secret = "whsec_q7Xw2LmZ0aVt9KcR4sYbE1uHdJ8nPf2MwQ5gTzOiD3k=";
const rotated: WebhookWithSecret = {
  ...mirror,
  previousSecretUntil: "2026-11-17T09:30:00.000Z",
  version: 2,
  updatedAt: "2026-11-16T09:30:00.000Z",
  secret,
};

export const webhookId = idParameter("The webhook's id.", {
  notFound: "webhook-not-found",
  example: mirror.id,
  component: "WebhookId",
});
const bodyProblems: ProblemType[] = [
  "malformed-json",
  "request-timeout",
  "too-large",
  "unsupported-media-type",
  "invalid-webhook",
  "key-required",
];
const changeProblems: ProblemType[] = ["webhook-not-found", "version-mismatch", "precondition-failed"];

/** Operations on webhooks. */
export const webhookOperations = {
  listWebhooks: {
    id: "listWebhooks",
    method: "GET",
    path: "/api/webhooks",
    tag: "webhooks",
    access: ["webhooks:manage"],
    summary: "List webhooks",
    description: "Lists all webhooks by id. The response never contains a secret.",
    parameters: idPageParameters,
    list: ["next"],
    responses: {
      200: {
        description: "A page of webhooks.",
        headers: { Link: link },
        body: { type: mediaTypes.json, schema: Type.Array(Webhook), examples: { page: [mirror] } },
      },
    },
    problems: ["invalid-query"],
  },
  createWebhook: {
    id: "createWebhook",
    method: "POST",
    path: "/api/webhooks",
    tag: "webhooks",
    access: ["webhooks:manage", "events:read"],
    keyOnly: true,
    summary: "Create a webhook",
    description: `Events after this one are sent to the URL, signed as Standard Webhooks 1.0 says. Only this response and that of a rotation contain the secret. A session is not enough for this request: send an API key. A service has at most ${webhookLimits.webhooks} webhooks.`,
    parameters: [],
    request: {
      types: [mediaTypes.json],
      schema: WebhookInput,
      examples: {
        mirror: mirrorInput,
        filtered: { ...mirrorInput, types: ["user.created"], filter: 'department eq "sales"' },
      },
      invalid: "invalid-webhook",
    },
    responses: {
      201: {
        description: "The new webhook, with its secret.",
        headers: { Location: location, ETag: etag },
        body: {
          type: mediaTypes.json,
          schema: WebhookWithSecret,
          examples: { mirror: { ...mirror, secret } },
        },
      },
    },
    problems: bodyProblems,
    logged: true,
  },
  readWebhook: {
    id: "readWebhook",
    method: "GET",
    path: "/api/webhooks/{id}",
    tag: "webhooks",
    access: ["webhooks:manage"],
    summary: "Read a webhook",
    description: "The response never contains the secret.",
    parameters: [webhookId, readIfMatch],
    responses: {
      200: {
        description: "The webhook.",
        headers: { ETag: etag },
        body: { type: mediaTypes.json, schema: Webhook, examples: { mirror } },
      },
    },
    problems: ["webhook-not-found", "version-mismatch"],
  },
  updateWebhook: {
    id: "updateWebhook",
    method: "PATCH",
    path: "/api/webhooks/{id}",
    tag: "webhooks",
    access: ["webhooks:manage", "events:read"],
    summary: "Update a webhook",
    description:
      "Applies a JSON Merge Patch (RFC 7396): omitted fields stay. A webhook that becomes active again gets the events after this change. A session cannot change the URL: send an API key.",
    parameters: [webhookId, ifMatch],
    request: {
      types: [mediaTypes.mergePatch, mediaTypes.json],
      schema: WebhookPatch,
      examples: {
        pause: { active: false },
        "all events": { types: ["*"], filter: null },
        "another receiver": { url: "https://hooks.example.com/crm" },
      },
      invalid: "invalid-webhook",
      // A stolen session must not send events elsewhere: that would outlive it.
      members: { url: { keyOnly: true } },
    },
    responses: {
      200: {
        description: "The webhook after the change.",
        headers: { ETag: etag },
        body: {
          type: mediaTypes.json,
          schema: Webhook,
          examples: { paused: { ...mirror, active: false, version: 2, updatedAt: rotated.updatedAt } },
        },
      },
    },
    problems: [...bodyProblems, ...changeProblems],
    logged: true,
  },
  deleteWebhook: {
    id: "deleteWebhook",
    method: "DELETE",
    path: "/api/webhooks/{id}",
    tag: "webhooks",
    access: ["webhooks:manage"],
    summary: "Delete a webhook",
    description:
      "Nothing more is sent, at the latest after a second. Attempts that are already running end. The id is never reused.",
    parameters: [webhookId, ifMatch],
    responses: { 204: { description: "The webhook was deleted." } },
    problems: changeProblems,
    logged: true,
  },
  rotateWebhookSecret: {
    id: "rotateWebhookSecret",
    method: "POST",
    path: "/api/webhooks/{id}/rotate",
    tag: "webhooks",
    access: ["webhooks:manage"],
    keyOnly: true,
    summary: "Rotate the secret of a webhook",
    description: `Creates a new secret, which only this response contains. Deliveries are signed with both secrets for ${webhookLimits.rotationHours} hours. Another rotation in this time ends the older one at once. The request has no body. A session is not enough: send an API key.`,
    parameters: [webhookId, ifMatch],
    responses: {
      200: {
        description: "The webhook, with its new secret.",
        headers: { ETag: etag },
        body: { type: mediaTypes.json, schema: WebhookWithSecret, examples: { rotated } },
      },
    },
    problems: [...changeProblems, "key-required"],
    logged: true,
  },
} as const satisfies Record<string, Operation>;
