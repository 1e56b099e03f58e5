import { createUser, deleteUser, listUsers, readUser, updateUser } from "./roster";
import { client } from "./roster/client.gen";

const [, , baseUrl = ""] = process.argv;
client.setConfig({ baseUrl });
const ada = await createUser({
  body: { name: "Ada", email: "ada@example.com", department: "engines" },
  throwOnError: true,
});
for (const name of ["Grace", "Linus"]) await createUser({ body: { name }, throwOnError: true });
const path = { id: ada.data.id };
const read = await readUser({ path, throwOnError: true });
const updated = await updateUser({ path, body: { name: "Ada King" }, headers: { "If-Match": '"1"' } });
const pages: number[] = [];
let after: string | undefined;
do {
  const { data, response } = await listUsers({ query: { limit: 2, after }, throwOnError: true });
  pages.push(data.length);
  after = /after=([^&>]+)[^>]*>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
} while (after);
await deleteUser({ path });
const missing = await readUser({ path });
console.log(
  JSON.stringify({
    read: read.data.email,
    department: read.data["department"],
    version: updated.data?.version,
    pages,
    problem: missing.error?.type,
  }),
);
