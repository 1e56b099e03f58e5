import axios from "axios";
import { createUser, deleteUser, listUsers, readUser, updateUser } from "./roster";

const [, , origin = ""] = process.argv;
axios.defaults.baseURL = origin;
const { data: ada } = await createUser({ name: "Ada", email: "ada@example.com", department: "engines" });
for (const name of ["Grace", "Linus"]) await createUser({ name });
const { data: read } = await readUser(ada.id);
const updated = await updateUser(ada.id, { name: "Ada King" }, { headers: { "If-Match": '"1"' } });
const pages: number[] = [];
let after: string | undefined;
do {
  const page = await listUsers({ limit: 2, ...(after && { after }) });
  pages.push(page.data.length);
  after = /after=([^&>]+)[^>]*>; rel="next"/.exec(String(page.headers.link ?? ""))?.[1];
} while (after);
await deleteUser(ada.id);
const missing: unknown = await readUser(ada.id).catch((error: unknown) => error);
console.log(
  JSON.stringify({
    read: read.email,
    department: read["department"],
    version: updated.data ? updated.data.version : undefined,
    pages,
    problem: axios.isAxiosError(missing) && missing.response?.data.type,
  }),
);
