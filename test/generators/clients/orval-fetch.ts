import { createUser, deleteUser, listUsers, readUser, updateUser } from "./roster";

const [, , origin = ""] = process.argv;
// The generated functions call relative URLs.
const send = globalThis.fetch;
globalThis.fetch = Object.assign(
  (url: string | URL | Request, options?: RequestInit) => send(origin + url, options),
  send,
);
const created = await createUser({ name: "Ada", email: "ada@example.com", department: "engines" });
if (created.status !== 201) throw new Error(created.data.detail);
for (const name of ["Grace", "Linus"]) await createUser({ name });
const { id } = created.data;
const read = await readUser(id);
const updated = await updateUser(id, { name: "Ada King" }, { headers: { "If-Match": '"1"' } });
const pages: number[] = [];
let after: string | undefined;
do {
  const page = await listUsers({ limit: 2, ...(after && { after }) });
  if (page.status !== 200) throw new Error(page.data.detail);
  pages.push(page.data.length);
  after = /after=([^&>]+)[^>]*>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1];
} while (after);
await deleteUser(id);
const missing = await readUser(id);
console.log(
  JSON.stringify({
    read: read.status === 200 && read.data.email,
    department: read.status === 200 && read.data["department"],
    version: updated.status === 200 && updated.data.version,
    pages,
    problem: missing.status === 404 && missing.data.type,
  }),
);
