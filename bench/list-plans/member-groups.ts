import { parseDatabase } from "../../src/config/database-url.ts";
import { membershipLimits } from "../../src/contract/groups/group.ts";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import { openStore } from "../../src/store/open-store.ts";

/** The ids of the groups in a database that had none. Every user is a member of `all`, and every tenth of `tenth`. */
export const memberGroups = { all: 1, tenth: 2 } as const;

const steps: Readonly<Record<keyof typeof memberGroups, number>> = { all: 1, tenth: 10 };

/** Creates these groups. The database has the users 1 to `users`. */
export async function createMemberGroups(database: string, users: number): Promise<void> {
  const options = {
    ...{ batch: 100, queue: 100, waitMs: 60_000, recordRules: defaultRecordRules },
    ...{ pool: 3, dedicatedSessions: true, migrate: true },
  };
  const store = await openStore(parseDatabase(database), options, { committed: () => {} });
  try {
    for (const [name, step] of Object.entries(steps)) {
      const { outcome } = await store.groups.create({ record: { name } });
      if ("problem" in outcome) throw new Error("The store rejected a group.");
      const ids = Array.from({ length: Math.floor(users / step) }, (_, index) => step * (index + 1));
      for (let first = 0; first < ids.length; first += membershipLimits.patchIds) {
        const add = ids.slice(first, first + membershipLimits.patchIds);
        await store.groups.patchMembers(outcome.group.id, { add, remove: [] });
      }
    }
  } finally {
    await store.close();
  }
}
