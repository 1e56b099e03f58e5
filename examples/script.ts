/** A first script: creates two users, finds one, changes it, and deletes both. */
import { createClient } from "roster-client";

const roster = createClient<{ department?: string }>();

const ada = await roster.users.create({
  name: "Ada Lovelace",
  email: "ada@example.com",
  department: "engines",
});
const grace = await roster.users.create({
  name: "Grace Hopper",
  email: "grace@example.com",
  department: "compilers",
});
console.log(`created ${ada.name} (${ada.id}) and ${grace.name} (${grace.id})`);

for await (const user of roster.users.list({ q: "ada", sort: "-createdAt" }))
  console.log(`found ${user.name}`);

const moved = await roster.users.modify(ada.id, (user) => ({ ...user, department: "research" }));
console.log(`${moved.name} is now in ${moved.department}, version ${moved.version}`);

for (const user of [moved, grace]) await roster.users.delete(user.id, { ifUnchanged: user });
console.log("deleted both");
