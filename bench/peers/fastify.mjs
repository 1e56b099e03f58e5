/** A users service as one writes it by hand, on Fastify and better-sqlite3. Its argument is the path of the database. */
import Database from "better-sqlite3";
import Fastify from "fastify";

const database = new Database(process.argv[2]);
database.pragma("journal_mode = WAL");
database.pragma("synchronous = FULL"); // A create is on disk before its response, as in Roster.
database.exec(`CREATE TABLE IF NOT EXISTS users (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, email TEXT UNIQUE,
  department TEXT, level INTEGER, createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL)`);
const one = database.prepare("SELECT * FROM users WHERE id = ?");
const list = database.prepare("SELECT * FROM users WHERE id > ? ORDER BY id LIMIT ? OFFSET ?");
const search = database.prepare(
  `SELECT * FROM users WHERE id > @after AND (name LIKE @q ESCAPE '\\' OR email LIKE @q ESCAPE '\\')
  ORDER BY id LIMIT @limit OFFSET @offset`,
);
const insert = database.prepare(`INSERT INTO users (name, email, department, level, createdAt, updatedAt)
  VALUES (@name, @email, @department, @level, @now, @now) RETURNING *`);

const text = { type: "string", maxLength: 200 };
const number = { type: "integer", minimum: 0 };
const fields = {
  name: { ...text, minLength: 1 },
  email: { ...text, format: "email" },
  department: text,
  level: number,
};
const body = { type: "object", required: ["name"], properties: fields };
const querystring = {
  type: "object",
  properties: {
    q: text,
    after: { ...number, default: 0 },
    limit: { ...number, default: 20 },
    offset: { ...number, default: 0 },
  },
};

const app = Fastify();
app.get(
  "/users/:id",
  { schema: { params: { type: "object", properties: { id: number } } } },
  ({ params }, reply) => reply.send(one.get(params.id) ?? (reply.code(404) && { error: "not found" })),
);
app.get("/users", { schema: { querystring } }, ({ query: { q, after, limit, offset } }, reply) =>
  reply.send(
    q === undefined
      ? list.all(after, limit, offset)
      : search.all({ q: `%${q.replace(/[\\%_]/g, "\\$&")}%`, after, limit, offset }),
  ),
);
app.post("/users", { schema: { body } }, ({ body }, reply) => {
  const user = { email: null, department: null, level: null, ...body, now: new Date().toISOString() };
  try {
    return reply.code(201).send(insert.get(user));
  } catch (error) {
    if (error.code !== "SQLITE_CONSTRAINT_UNIQUE") throw error;
    return reply.code(409).send({ error: "email already in use" });
  }
});
console.log(await app.listen({ host: "127.0.0.1", port: 0 }));
