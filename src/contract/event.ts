/** What can happen to each kind of subject. The type of an event is like `user.created`. */
export const eventActions = {
  user: ["created", "updated", "deleted"],
  key: ["created", "replaced", "revoked"],
} as const;

export type EventSubjectType = keyof typeof eventActions;

type ActionOf<Subject extends EventSubjectType> = (typeof eventActions)[Subject][number];

export type EventType = {
  [Subject in EventSubjectType]: `${Subject}.${ActionOf<Subject>}`;
}[EventSubjectType];
