import type { Store } from "../../src/domain/store.ts";
import { sampleUser } from "./sample-users.ts";

/** Creates the sample users 1 to `users` in an empty store, `batch` at a time. */
export async function fillStore(store: Store, users: number, batch: number): Promise<void> {
  for (let done = 0; done < users; done += batch) {
    const numbers = Array.from({ length: Math.min(batch, users - done) }, (_, index) => done + index + 1);
    const outcomes = await Promise.all(
      numbers.map((number) => store.users.create({ record: { ...sampleUser(number) } })),
    );
    if (outcomes.some(({ outcome }) => "problem" in outcome))
      throw new Error("The store rejected a sample user.");
    if (process.stderr.isTTY) process.stderr.write(`\r${done + numbers.length} of ${users} users`);
  }
  if (process.stderr.isTTY) process.stderr.write("\n");
}
