import type { EventType } from "../../contract/events/event.ts";
import {
  Braces,
  Eraser,
  type Icon,
  KeyRound,
  UserRoundCheck,
  UserRoundMinus,
  UserRoundPen,
  UserRoundPlus,
  Users,
  Webhook,
} from "../ui/icons.ts";

type Tone = "good" | "bad" | "calm";

const marks: Record<EventType, readonly [Icon, Tone]> = {
  "user.created": [UserRoundPlus, "good"],
  "user.updated": [UserRoundPen, "calm"],
  "user.deleted": [UserRoundMinus, "bad"],
  "user.restored": [UserRoundCheck, "good"],
  "user.purged": [Eraser, "bad"],
  "group.created": [Users, "good"],
  "group.updated": [Users, "calm"],
  "group.members_changed": [Users, "calm"],
  "group.deleted": [Users, "bad"],
  "key.created": [KeyRound, "good"],
  "key.replaced": [KeyRound, "calm"],
  "key.revoked": [KeyRound, "bad"],
  "webhook.created": [Webhook, "good"],
  "webhook.updated": [Webhook, "calm"],
  "webhook.deleted": [Webhook, "bad"],
  "webhook.disabled": [Webhook, "bad"],
  "schema.updated": [Braces, "calm"],
};

/** The icon of an event. */
export function EventMark({ type }: { readonly type: EventType }) {
  const [Icon, tone] = marks[type];
  return (
    <span className={`event-icon ${tone}`}>
      <Icon aria-hidden />
    </span>
  );
}
