import Type, { type Static } from "typebox";
import { Id, Integer, Timestamp } from "../scalars.ts";
import { actorTypes, EVENT_ID_PATTERN, eventSubjectTypes, eventTypes } from "./event.ts";

export const EventType = Type.Enum([...eventTypes], {
  type: "string",
  description: "What happened. Later versions add types.",
});

export const FieldChange = Type.Object(
  {
    from: Type.Optional(Type.Unknown({ description: "Absent if the field did not exist." })),
    to: Type.Optional(Type.Unknown({ description: "Absent if the field was removed." })),
    added: Type.Optional(
      Type.Array(Id, { description: "Of `members` only: the users that became members." }),
    ),
    removed: Type.Optional(
      Type.Array(Id, { description: "Of `members` only: the users that are not members any more." }),
    ),
  },
  {
    description: "The old and the new value of a field, or which members of a group were added and removed.",
  },
);

export const EventActor = Type.Object(
  {
    type: Type.String({
      pattern: `^(${actorTypes.join("|")})$`,
      description:
        "`key`: a request with an API key. `anonymous`: a request without one. `command`: a command on the host. `system`: the service itself.",
    }),
    id: Type.Optional(Integer({ minimum: 0, description: "The key's id; 0 for the key in ROSTER_API_KEY." })),
    name: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: "The key's name." })),
  },
  { description: "Who made the change." },
);

export const EventSubject = Type.Object(
  { type: Type.String({ pattern: `^(${eventSubjectTypes.join("|")})$` }), id: Id },
  { description: "What has changed." },
);

export const EventChanges = Type.Object(
  {},
  {
    additionalProperties: FieldChange,
    description:
      "The old and the new value of each top-level field that an update or a restore changed. Empty if the subject was created or deleted, and after a purge. Of `group.members_changed`: `members`, with the ids that were added and removed.",
  },
);

export const EventRecord = Type.Object(
  {},
  {
    additionalProperties: true,
    description:
      "The user, group, key or webhook after the change, or before its deletion. Never has a secret.",
  },
);

/** An event in a response. */
export const Event = Type.Object(
  {
    id: Type.String({
      pattern: EVENT_ID_PATTERN,
      description: "Opaque and unique. Ids sort by their bytes, in the order of the feed.",
    }),
    type: EventType,
    time: Timestamp("When the change was committed."),
    actor: EventActor,
    requestId: Type.Union([Type.String(), Type.Null()], {
      description: "The X-Request-Id of the request. Null for a change without a request.",
    }),
    subject: EventSubject,
    version: Type.Union([Integer({ minimum: 1 }), Type.Null()], {
      description:
        "The version of the user, group or webhook after the change, or before its deletion. Null for keys.",
    }),
    changes: EventChanges,
    record: Type.Union([EventRecord, Type.Null()], {
      description:
        "The user, group, key or webhook after the change, or before its deletion. Null if the user was purged.",
    }),
  },
  { description: "A change of a user, a group, a key or a webhook." },
);
export type Event = Static<typeof Event>;
