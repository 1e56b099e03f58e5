import type { EventType } from "../../contract/events/event.ts";
import type { EventDraft } from "../../domain/events/event.ts";

/** How many users a batch creates, deletes and restores. The events of the batch are its source. */
export class UserTally {
  created = 0;
  deleted = 0;
  restored = 0;

  static of(events: readonly EventDraft[]): UserTally {
    const tally = new UserTally();
    for (const { type } of events) tally.add(type);
    return tally;
  }

  add(type: EventType): void {
    if (type === "user.created") this.created++;
    else if (type === "user.deleted") this.deleted++;
    else if (type === "user.restored") this.restored++;
  }

  get isEmpty(): boolean {
    return this.created + this.deleted + this.restored === 0;
  }
}
