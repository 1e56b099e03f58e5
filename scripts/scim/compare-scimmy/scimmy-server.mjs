/** A server of scimmy, as its documentation shows it, with users and groups in memory. Prints its address. */
import express from "express";
import SCIMMY from "scimmy";
import ScimmyRouters from "scimmy-routers";

const { Resources, Schemas } = SCIMMY;
let lastId = 0;
serve(Resources.declare(Resources.User).extend(Schemas.EnterpriseUser, false), "userName");
serve(Resources.declare(Resources.Group), "displayName");

const app = express();
const baseUri = () => "https://scimmy.example";
app.use("/scim/v2", new ScimmyRouters({ type: "bearer", handler: () => "client", baseUri }));
// Without this, express destroys the connection after an error 500, which scimmy has already answered.
app.use((_error, _request, _response, _next) => {});
const server = app.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));

/** Keeps the resources of a type, of which no two have the same name, in any case. */
function serve(resource, nameKey) {
  const stored = new Map();
  const read = (id) => {
    const found = stored.get(id);
    if (!found) throw new SCIMMY.Types.Error(404, null, `Resource ${id} not found`);
    return found;
  };
  const fold = (each) => each[nameKey].toLowerCase();
  resource
    .ingress(({ id }, written) => {
      const before = id && read(id);
      const isTaken = [...stored.values()].some((other) => other !== before && fold(other) === fold(written));
      if (isTaken) throw new SCIMMY.Types.Error(409, "uniqueness", `${written[nameKey]} is taken`);
      const lastModified = new Date().toISOString();
      const meta = { created: lastModified, ...before?.meta, lastModified };
      // scimmy passes objects of its own classes.
      const next = { ...JSON.parse(JSON.stringify(written)), id: id ?? String(++lastId), meta };
      stored.set(next.id, next);
      return next;
    })
    .egress(({ id, filter }) => {
      if (id) return read(id);
      const all = [...stored.values()];
      return filter ? filter.match(all) : all;
    })
    .degress(({ id }) => {
      read(id);
      stored.delete(id);
    });
}
