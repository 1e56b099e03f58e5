/* Uses the types of a description with a schema for custom fields. Only compiled, never run. */
import createClient from "openapi-fetch";
import type { paths } from "./generated/with-schema";

const client = createClient<paths>({ baseUrl: "http://localhost:3000" });

const created = await client.POST("/api/users", {
  body: { name: "Ada", badge: "B-0001", level: null, address: { city: "Oslo" }, tags: ["vip"], other: 1 },
});
const badge: string | undefined = created.data?.badge;
const level: number | null | undefined = created.data?.level;
const read = await client.GET("/api/users/{id}", { params: { path: { id: 1 } } });
const city: string | undefined = read.data?.address?.city;
const listed = await client.GET("/api/users");
const tags: ("vip" | "new")[] | undefined = listed.data?.[0]?.tags;
console.log(badge, level, city, tags);
