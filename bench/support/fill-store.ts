import type { Store } from "../../src/domain/store.ts";
import type { UserSource } from "./sample-users.ts";

/** Which users a store gets. */
export interface FillOptions {
  readonly users: number;
  /** How many users are created at a time. */
  readonly batch: number;
  readonly source: UserSource;
}

/** Creates the users 1 to `users` in an empty store. */
export async function fillStore(store: Store, { users, batch, source }: FillOptions): Promise<void> {
  for (let done = 0; done < users; done += batch) {
    const numbers = Array.from({ length: Math.min(batch, users - done) }, (_, index) => done + index + 1);
    const outcomes = await Promise.all(
      numbers.map((number) => store.users.create({ record: { ...source(number) } })),
    );
    if (outcomes.some(({ outcome }) => "problem" in outcome))
      throw new Error("The store rejected a sample user.");
    if (process.stderr.isTTY) process.stderr.write(`\r${done + numbers.length} of ${users} users`);
  }
  if (process.stderr.isTTY) process.stderr.write("\n");
}
