/**
 * Keeps a copy of all users, groups and members in a database of its own, and follows every change. Continues where it stopped after a
 * restart. Run `bun examples/mirror.ts mirror.db`. The key needs the scopes `users:read`, `groups:read` and `events:read`.
 */
import { Database } from "bun:sqlite";
import {
  ApiError,
  createClient,
  type Group,
  type GroupEvent,
  type RosterEvent,
  type User,
  type UserEvent,
} from "roster-client";

const roster = createClient();
const db = new Database(process.argv[2] ?? "mirror.db");
db.run("PRAGMA journal_mode = WAL");
for (const table of ["users", "groups"]) {
  db.run(
    `CREATE TABLE IF NOT EXISTS ${table} (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, json TEXT NOT NULL)`,
  );
}
db.run(`CREATE TABLE IF NOT EXISTS members ("group" INTEGER, user INTEGER, PRIMARY KEY ("group", user))`);
db.run("CREATE TABLE IF NOT EXISTS progress (after TEXT NOT NULL)");

const moveOn = db.query<void, [string]>("UPDATE progress SET after = ?");
const readProgress = db.query<{ after: string }, []>("SELECT after FROM progress");
const addMember = db.query<void, [number, number]>("INSERT OR IGNORE INTO members VALUES (?, ?)");
const removeMember = db.query<void, [number, number]>(`DELETE FROM members WHERE "group" = ? AND user = ?`);
const removeMembers = db.query<void, [number]>(`DELETE FROM members WHERE "group" = ?`);

const users = copyOf<User>("users");
const groups = copyOf<Group>("groups");

/** Writes one table of records. A record that is older than the copy changes nothing. */
function copyOf<Item extends { readonly id: number; readonly version: number }>(table: string) {
  const upsert = db.query<void, [number, number, string]>(
    `INSERT INTO ${table} VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET version = excluded.version, json = excluded.json
     WHERE excluded.version >= version`,
  );
  const remove = db.query<void, [number]>(`DELETE FROM ${table} WHERE id = ?`);
  return {
    put: (item: Item) => upsert.run(item.id, item.version, JSON.stringify(item)),
    remove: (id: number) => remove.run(id),
  };
}

const isUserEvent = (event: RosterEvent): event is UserEvent => event.subject.type === "user";
const isGroupEvent = (event: RosterEvent): event is GroupEvent => event.subject.type === "group";

/** Copies everything, in one transaction. Events that happen during the copy come again later: versions tell which are old. */
async function copyAll(): Promise<string> {
  const after = await roster.events.last();
  db.run("BEGIN");
  try {
    for (const table of ["users", "groups", "members", "progress"]) db.run(`DELETE FROM ${table}`);
    for await (const user of roster.users.export()) users.put(user);
    for await (const group of roster.groups.export()) groups.put(group);
    for await (const { group, user } of roster.memberships.export())
      addMember.run(Number(group), Number(user));
    db.query("INSERT INTO progress VALUES (?)").run(after);
    db.run("COMMIT");
  } catch (error) {
    db.run("ROLLBACK");
    throw error;
  }
  return after;
}

/** Applies an event and remembers it, in one transaction: after a crash, no event is applied twice or skipped. */
const apply = db.transaction((event: RosterEvent) => {
  if (isUserEvent(event)) {
    // A user that was purged leaves events without a record.
    if (event.type === "user.deleted" || event.record === null) users.remove(event.subject.id);
    else users.put(event.record);
  } else if (isGroupEvent(event)) applyToGroup(event);
  moveOn.run(event.id);
});

function applyToGroup(event: GroupEvent): void {
  const { id } = event.subject;
  if (event.type === "group.deleted") {
    groups.remove(id);
    removeMembers.run(id);
    return;
  }
  groups.put(event.record);
  if (event.type !== "group.members_changed") return;
  const { added, removed } = event.changes.members;
  for (const user of added) addMember.run(id, user);
  for (const user of removed) removeMember.run(id, user);
}

for (;;) {
  const after = readProgress.get()?.after ?? (await copyAll());
  console.log(`following after ${after}`);
  try {
    for await (const event of roster.events.follow({ after })) apply(event);
  } catch (error) {
    // The service no longer has the events after the last one that was applied.
    if (!(error instanceof ApiError) || error.type !== "events-expired") throw error;
    db.run("DELETE FROM progress");
  }
}
