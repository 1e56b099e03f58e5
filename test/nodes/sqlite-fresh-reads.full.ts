import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type Roster, startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";

setDefaultTimeout(120_000);
afterEach(stopAll);

const CLIENTS = 40;
const PAIRS_PER_CLIENT = 50;

/** A new connection per request: the service may accept one while it handles earlier requests. */
const ownConnection = { connection: "close" };

async function readTurn(roster: Roster, path: string, id: number): Promise<unknown> {
  const response = await roster.call(path, { headers: ownConnection });
  expect(response.status).toBe(200);
  const users: { id: number; turn: unknown }[] = [await response.json()].flat();
  return users.find((user) => user.id === id)?.turn;
}

test("a read sees every write that another process acknowledged before the read was sent", async () => {
  const database = join(temporaryFolder(), "roster.db");
  const [writer, reader] = await Promise.all([startRoster(database), startRoster(database)]);
  let pairs = 0;
  let stale = 0;
  const client = async (index: number) => {
    const name = `Client ${index}`;
    const email = `client${index}@example.com`;
    const created = await writer.call("/api/users", { method: "POST", json: { name, email, turn: 0 } });
    const { id } = await created.json();
    // All clients read the same list: the service keeps its page until a user changes.
    const paths = [`/api/users/${id}`, `/api/users?email=${email}`, `/api/users?limit=${CLIENTS}`];
    for (let turn = 1; turn <= PAIRS_PER_CLIENT; turn++) {
      const path = paths[turn % paths.length] ?? "";
      const put = await writer.call(`/api/users/${id}`, {
        method: "PUT",
        json: { name, email, turn },
        headers: ownConnection,
      });
      expect(put.status).toBe(200);
      pairs++;
      if ((await readTurn(reader, path, id)) !== turn) stale++;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index)));
  expect({ pairs, stale }).toEqual({ pairs: CLIENTS * PAIRS_PER_CLIENT, stale: 0 });
});
