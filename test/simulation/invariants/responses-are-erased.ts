import type { Invariant } from "../invariant.ts";
import type { Observation } from "../observation.ts";
import type { World } from "../world.ts";

/** Stored responses to events of users that neither exist nor can be restored. */
const OF_PURGED_USERS = `
  SELECT webhook_id, user_id FROM webhook_responses WHERE user_id IS NOT NULL
  AND user_id NOT IN (SELECT id FROM users) AND user_id NOT IN (SELECT id FROM deleted_users) LIMIT 1`;

export class ResponsesAreErased implements Invariant {
  readonly name = "No response to an event of a purged user is stored";
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  observe({ kind }: Observation): string | undefined {
    return kind === "committed" || kind === "received" ? this.#find() : undefined;
  }

  checkEnd(): string | undefined {
    return this.#find();
  }

  #find(): string | undefined {
    const [row] = this.#world.database.query(OF_PURGED_USERS);
    return row && `webhook ${row[0]} has a response to an event of user ${row[1]}`;
  }
}
