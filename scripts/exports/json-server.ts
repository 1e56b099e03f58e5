import { readFileSync } from "node:fs";
import { until } from "../../test/support/until.ts";
import { freePort } from "../trial/program.ts";
import { caller, EPOCH, PASSWORD, type Recorder } from "./recorder.ts";

const users = [
  {
    name: "Ada Lovelace",
    email: "ada@example.com",
    password: PASSWORD,
    createdAt: EPOCH * 1000,
    ticket: EPOCH,
    nickname: "",
    manager: null,
    tags: [],
    address: { city: "London", street: "" },
  },
  { id: "b7f3", firstName: "Zoë", lastName: "Müller", email: "", createdAt: "2024-05-01 10:00:00Z" },
  { username: "no-mail", active: false, email: null, scores: [1, null, ""] },
];

/** The file that json-server has written. */
export const jsonServer: Recorder = {
  needs: { "json-server": "npm: json-server 0.17" },
  async record(server) {
    const file = server.write("db.json", JSON.stringify({ posts: [{ id: 1, title: "A post" }], users: [] }));
    const port = await freePort();
    await server.start(["json-server", "--host", "127.0.0.1", "--port", String(port), file], port);
    const call = caller(`http://127.0.0.1:${port}`);
    for (const user of users) await call("POST", "/users", user);
    // json-server writes the file after it has responded.
    await until(() => Object(JSON.parse(readFileSync(file, "utf8"))).users.length === users.length);
    return { "json-server.json": readFileSync(file, "utf8") };
  },
};
