import { join } from "node:path";
import { freePort } from "../trial/program.ts";
import { caller, EPOCH, PASSWORD, type Recorder, run, textIn } from "./recorder.ts";

const ROOT = "root@example.com";
/** Fields that the collection users does not have at first. */
const fields = [
  { name: "boss", type: "relation", collectionId: "_pb_users_auth_", maxSelect: 1 },
  { name: "joined", type: "date" },
  { name: "nickname", type: "text" },
  { name: "profile", type: "json" },
  { name: "tags", type: "select", values: ["red", "green"], maxSelect: 2 },
  { name: "ticket", type: "number" },
];
const ada = {
  email: "ada@example.com",
  name: "Ada Lovelace",
  verified: true,
  emailVisibility: true,
  joined: "2024-05-01 10:00:00.000Z",
  profile: { city: "London", street: "" },
  tags: ["red", "green"],
  ticket: EPOCH,
};
const others = [
  { email: "unconfirmed@example.com", nickname: "zoë" },
  { name: "No Mail", profile: null },
];

/** Pages of the records of users, and the rows of the SQLite table as JSON and as CSV. */
export const pocketbase: Recorder = {
  needs: { pocketbase: "Go: github.com/pocketbase/pocketbase", sqlite3: "Debian: sqlite3" },
  async record(server) {
    const folder = join(server.folder, "data");
    await run(["pocketbase", "superuser", "upsert", ROOT, PASSWORD, "--dir", folder]);
    const port = await freePort();
    await server.start(["pocketbase", "serve", "--http", `127.0.0.1:${port}`, "--dir", folder], port);
    const origin = `http://127.0.0.1:${port}/api/collections`;
    const session = await caller(origin)("POST", "/_superusers/auth-with-password", {
      identity: ROOT,
      password: PASSWORD,
    });
    const call = caller(origin, { Authorization: textIn(session, "token") });
    await addFields(call);
    const passwords = { password: PASSWORD, passwordConfirm: PASSWORD };
    const boss = textIn(await call("POST", "/users/records", { ...ada, ...passwords }), "id");
    for (const user of others) await call("POST", "/users/records", { ...user, ...passwords, boss });
    const list = "/users/records?sort=created,id&expand=boss&perPage=2";
    const pages = [await call("GET", `${list}&page=1`), await call("GET", `${list}&page=2`)];
    await server.stop();
    const table = [join(folder, "data.db"), "select * from users order by created"];
    return {
      "pocketbase.pages": `${pages.map((page) => page.trim()).join("\n")}\n`,
      "pocketbase.csv": await run(["sqlite3", "-csv", "-header", ...table]),
      "pocketbase.json": await run(["sqlite3", "-json", ...table]),
    };
  },
};

/** Adds the fields, and allows users without an email. */
async function addFields(call: ReturnType<typeof caller>): Promise<void> {
  const { fields: existing } = Object(JSON.parse(await call("GET", "/users")));
  if (!Array.isArray(existing)) throw new Error("The collection users has no fields.");
  const changed = existing.map((field) => (field.name === "email" ? { ...field, required: false } : field));
  await call("PATCH", "/users", { fields: [...changed, ...fields] });
}
