import { Configuration, ResponseError, UsersApi } from "./roster";

const [, , basePath = ""] = process.argv;
const api = new UsersApi(new Configuration({ basePath }));
const ada = await api.createUser({
  userInput: { name: "Ada", email: "ada@example.com", department: "engines" },
});
for (const name of ["Grace", "Linus"]) await api.createUser({ userInput: { name } });
const read = await api.readUser({ id: ada.id });
const updated = await api.updateUser({ id: ada.id, userPatch: { name: "Ada King" }, ifMatch: '"1"' });
const pages: number[] = [];
let after: string | undefined;
do {
  const page = await api.listUsersRaw({ limit: 2, ...(after && { after }) });
  pages.push((await page.value()).length);
  after = /after=([^&>]+)[^>]*>; rel="next"/.exec(page.raw.headers.get("link") ?? "")?.[1];
} while (after);
await api.deleteUser({ id: ada.id });
const problem = await api.readUser({ id: ada.id }).catch(async (error) => {
  if (!(error instanceof ResponseError)) throw error;
  return (await error.response.json()).type;
});
console.log(
  JSON.stringify({
    read: read.email,
    department: read["department"],
    version: updated?.version,
    pages,
    problem,
  }),
);
