import type { Store } from "../domain/store.ts";

/** The stores of all tables beside the users. */
export type TableStores = Pick<
  Store,
  "keys" | "events" | "webhooks" | "deliveries" | "deletedUsers" | "statistics" | "schema"
>;
