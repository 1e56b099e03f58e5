import { freePort } from "../trial/program.ts";
import { caller, EPOCH, PASSWORD, type Recorder } from "./recorder.ts";

const CORE = "urn:ietf:params:scim:schemas:core:2.0:User";
const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

const users = [
  {
    schemas: [CORE, ENTERPRISE],
    userName: "ada",
    name: { givenName: "Ada", familyName: "Lovelace", middleName: "" },
    displayName: "",
    nickName: null,
    emails: [
      { value: "countess@example.com", type: "home" },
      { value: "ada@example.com", type: "work", primary: true },
    ],
    password: PASSWORD,
    active: true,
    [ENTERPRISE]: { employeeNumber: String(EPOCH), department: "" },
  },
  { schemas: [CORE], userName: "grace@example.com", displayName: "Grace Hopper", active: false },
  { schemas: [CORE], userName: "zoë", title: "", emails: [], phoneNumbers: [{ value: "+49 30 1" }] },
];

/** Pages of the list of users. */
export const scim2Server: Recorder = {
  needs: { "scim2-server": "PyPI: scim2-server" },
  async record(server) {
    const port = await freePort();
    await server.start(["scim2-server", "--port", String(port)], port);
    const call = caller(`http://127.0.0.1:${port}/v2`, { "Content-Type": "application/scim+json" });
    for (const user of users) await call("POST", "/Users", user);
    const pages = [
      await call("GET", "/Users?startIndex=1&count=2"),
      await call("GET", "/Users?startIndex=3&count=2"),
    ];
    return { "scim2-server.pages": `${pages.join("\n")}\n` };
  },
};
