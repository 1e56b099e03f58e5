import { Database } from "bun:sqlite";
import { join } from "node:path";
import { type ChildServer, startChild } from "../support/child-server.ts";
import { sampleUser } from "../support/sample-users.ts";

const COLLECTION = "people";
/** The id of a user is this number plus its own: 15 digits, as long as the ids that PocketBase gives, and in the order of the users. */
export const FIRST_ID = 100_000_000_000_000;
const SUPERUSER = { identity: "bench@example.com", password: "bench-password" };

/** Creates a data folder of PocketBase with a collection of the sample users that anyone may read and write. */
export async function preparePocketBase(
  binary: string,
  folder: string,
  users: number,
): Promise<{ start: () => Promise<ChildServer>; path: string }> {
  const start = () => startPocketBase(binary, folder);
  const { identity, password } = SUPERUSER;
  const added = Bun.spawnSync([binary, "superuser", "upsert", identity, password, `--dir=${folder}`]);
  if (!added.success) throw new Error(`PocketBase: ${added.stderr.toString()}`);
  {
    await using server = await start();
    await createCollection(server.url);
  }
  fillCollection(join(folder, "data.db"), users);
  return { start, path: `/api/collections/${COLLECTION}/records` };
}

function startPocketBase(binary: string, folder: string): Promise<ChildServer> {
  // PocketBase does not choose a free port itself.
  const probe = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port } = probe;
  probe.stop(true);
  return startChild([binary, "serve", `--http=127.0.0.1:${port}`, `--dir=${folder}`], (line) =>
    line.includes("Server started") ? `http://127.0.0.1:${port}` : undefined,
  );
}

async function createCollection(url: string): Promise<void> {
  const { token } = await post(`${url}/api/collections/_superusers/auth-with-password`, SUPERUSER);
  const text = { type: "text", max: 200 };
  const collection = {
    name: COLLECTION,
    type: "base",
    ...{ listRule: "", viewRule: "", createRule: "" },
    fields: [
      {
        name: "id",
        type: "text",
        primaryKey: true,
        required: true,
        min: 1,
        max: 15,
        pattern: "^[a-z0-9]+$",
        autogeneratePattern: "[a-z0-9]{15}",
      },
      { ...text, name: "name", required: true },
      { name: "email", type: "email" },
      { ...text, name: "department" },
      { name: "level", type: "number" },
      { name: "created", type: "autodate", onCreate: true },
      { name: "updated", type: "autodate", onCreate: true, onUpdate: true },
    ],
    indexes: [`CREATE UNIQUE INDEX people_email ON ${COLLECTION} (email)`],
  };
  await post(`${url}/api/collections`, collection, token);
}

async function post(url: string, body: object, token?: unknown): Promise<{ token?: unknown }> {
  const headers = {
    "content-type": "application/json",
    ...(token !== undefined && { authorization: String(token) }),
  };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`PocketBase responded ${response.status}: ${await response.text()}`);
  return response.json();
}

function fillCollection(path: string, users: number): void {
  using database = new Database(path);
  const insert =
    database.prepare(`INSERT INTO ${COLLECTION} (id, name, email, department, level, created, updated)
    VALUES (?, ?, ?, ?, ?, ?6, ?6)`);
  const time = new Date().toISOString().replace("T", " ");
  database.transaction(() => {
    for (let number = 1; number <= users; number++) {
      const { name, email, department, level } = sampleUser(number);
      insert.run(String(FIRST_ID + number), name, email, department, level, time);
    }
  })();
}
