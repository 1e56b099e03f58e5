/** A nightly job that marks users without changes for a year as dormant. Run `bun examples/nightly.ts` from cron. */
import { ApiError, createClient } from "roster-client";

const roster = createClient<{ dormant?: boolean }>({ timeout: 60_000 });
const days = Number(process.env.DORMANT_AFTER_DAYS ?? 365);
const cutoff = new Date(Date.now() - days * 86_400_000).toISOString();

let marked = 0;
for await (const user of roster.users.list({ sort: "updatedAt", limit: 500 })) {
  if (user.updatedAt >= cutoff) break;
  if (user.dormant) continue;
  try {
    await roster.users.update(user.id, { dormant: true }, { ifUnchanged: user });
    marked++;
  } catch (error) {
    // The user was changed or deleted in the meantime, and is not dormant.
    if (!(error instanceof ApiError) || ![404, 412].includes(error.status)) throw error;
  }
}
console.log(`${marked} users are dormant`);
