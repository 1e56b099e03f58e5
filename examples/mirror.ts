/**
 * Keeps a copy of all users in a database of its own, and follows every change. Continues where it stopped after a restart.
 * Run `bun examples/mirror.ts mirror.db`. The key needs the scopes `users:read` and `events:read`.
 */
import { Database } from "bun:sqlite";
import { ApiError, createClient, type RosterEvent, type User, type UserEvent } from "roster-client";

const roster = createClient();
const db = new Database(process.argv[2] ?? "mirror.db");
db.run("PRAGMA journal_mode = WAL");
db.run(
  "CREATE TABLE IF NOT EXISTS users (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, json TEXT NOT NULL)",
);
db.run("CREATE TABLE IF NOT EXISTS progress (after TEXT NOT NULL)");

const upsert = db.query<void, [number, number, string]>(
  `INSERT INTO users VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET version = excluded.version, json = excluded.json
   WHERE excluded.version >= version`,
);
const remove = db.query<void, [number]>("DELETE FROM users WHERE id = ?");
const moveOn = db.query<void, [string]>("UPDATE progress SET after = ?");
const readProgress = db.query<{ after: string }, []>("SELECT after FROM progress");

const isUserEvent = (event: RosterEvent): event is UserEvent => event.subject.type === "user";

const put = (user: User) => upsert.run(user.id, user.version, JSON.stringify(user));

/** Copies all users, in one transaction. Events that happen during the copy come again later: versions tell which are old. */
async function copyUsers(): Promise<string> {
  const after = await roster.events.last();
  db.run("BEGIN");
  try {
    db.run("DELETE FROM users");
    for await (const user of roster.users.export()) put(user);
    db.run("DELETE FROM progress");
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
    if (event.type === "user.deleted" || event.record === null) remove.run(event.subject.id);
    else put(event.record);
  }
  moveOn.run(event.id);
});

for (;;) {
  const after = readProgress.get()?.after ?? (await copyUsers());
  console.log(`following after ${after}`);
  try {
    for await (const event of roster.events.follow({ after })) apply(event);
  } catch (error) {
    // The service no longer has the events after the last one that was applied.
    if (!(error instanceof ApiError) || error.type !== "events-expired") throw error;
    db.run("DELETE FROM progress");
  }
}
