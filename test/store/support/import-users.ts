import type { Store } from "../../../src/domain/store.ts";

/** Imports users in one transaction, each with this text. */
export const importUsers = (store: Store, count: number, text = "") =>
  store.users.import(
    Array.from({ length: count }, (_, i) => ({ json: JSON.stringify({ name: `User ${i}`, text }) })),
  );
