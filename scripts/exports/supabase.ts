import { SQL } from "bun";
import { startPostgres } from "../../test/support/postgres/server.ts";
import { freePort } from "../trial/program.ts";
import { caller, EPOCH, PASSWORD, type Recorder, run, textIn } from "./recorder.ts";

const JWT_SECRET = "a secret of the recording, for nothing else";

const users = [
  {
    email: "ada@example.com",
    phone: "15550001",
    password: PASSWORD,
    email_confirm: true,
    user_metadata: { full_name: "Ada Lovelace", ticket: EPOCH, nickname: "", manager: null },
    app_metadata: { roles: ["admin"] },
  },
  { email: "unconfirmed@example.com", password: PASSWORD, user_metadata: { name: "Zoë Müller" } },
  { phone: "15550002", phone_confirm: true },
  { email: "banned@example.com", email_confirm: true, ban_duration: "876000h" },
];

/** The table auth.users as CSV and as JSON, and the users of the Admin API. The server is Supabase Auth, also called GoTrue. */
export const supabase: Recorder = {
  needs: { auth: "Supabase Auth, github.com/supabase/auth", psql: "Debian: postgresql-client" },
  async record(server) {
    const postgres = await startPostgres();
    const sql = new SQL(postgres.url(), { max: 1 });
    try {
      await sql.unsafe("CREATE ROLE supabase_auth_admin SUPERUSER LOGIN; CREATE SCHEMA auth");
      await sql.unsafe("ALTER ROLE supabase_auth_admin SET search_path = auth");
      const port = await freePort();
      const origin = `http://127.0.0.1:${port}`;
      const env = {
        DATABASE_URL: postgres.url().replace("postgres@", "supabase_auth_admin@"),
        GOTRUE_DB_DRIVER: "postgres",
        API_EXTERNAL_URL: origin,
        GOTRUE_API_HOST: "127.0.0.1",
        GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED: "true",
        GOTRUE_EXTERNAL_PHONE_ENABLED: "true",
        GOTRUE_JWT_SECRET: JWT_SECRET,
        GOTRUE_SITE_URL: origin,
        PORT: String(port),
      };
      await run(["auth", "migrate"], { env });
      await server.start(["auth", "serve"], port, { env });
      const call = caller(origin, { Authorization: `Bearer ${signToken({ role: "service_role" })}` });
      for (const user of users) await call("POST", "/admin/users", user);
      await caller(origin)("POST", "/signup", {});
      const gone = await call("POST", "/admin/users", { email: "gone@example.com" });
      await call("DELETE", `/admin/users/${textIn(gone, "id")}`, { should_soft_delete: true });
      const query = "select * from auth.users order by created_at";
      const [row] = await sql.unsafe(`select json_agg(u)::text as rows from (${query}) u`);
      return {
        "supabase-admin.pages": `${await call("GET", "/admin/users?page=1&per_page=3")}\n${await call("GET", "/admin/users?page=2&per_page=3")}\n`,
        "supabase.csv": await run(["psql", postgres.url(), "-c", `\\copy (${query}) to stdout csv header`]),
        "supabase.json": `${row.rows}\n`,
      };
    } finally {
      await sql.close();
      await postgres.destroy();
    }
  },
};

/** A JSON Web Token with HMAC-SHA256. */
function signToken(claims: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  return `${text}.${new Bun.CryptoHasher("sha256", JWT_SECRET).update(text).digest("base64url")}`;
}
