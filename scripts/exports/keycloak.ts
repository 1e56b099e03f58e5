import { readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../trial/program.ts";
import { caller, EPOCH, PASSWORD, type Recorder, run, textIn } from "./recorder.ts";

/** Java starts slowly. */
const START_TIMEOUT_MS = 600_000;

const users = [
  {
    username: "ada",
    firstName: "Ada",
    lastName: "Lovelace",
    email: "ada@example.com",
    emailVerified: true,
    enabled: true,
    createdTimestamp: EPOCH * 1000,
    groups: ["/staff"],
    realmRoles: ["offline_access"],
    attributes: {
      department: ["engines"],
      languages: ["en", "fr"],
      nickname: [""],
      phone: ["+44 20 1"],
      ticket: [String(EPOCH)],
    },
    credentials: [{ type: "password", value: PASSWORD }],
    requiredActions: ["UPDATE_PROFILE"],
  },
  { username: "zoë", firstName: "Zoë", lastName: "", email: "unconfirmed@example.com", enabled: false },
  { username: "no-mail", email: "", enabled: true, attributes: { nickname: ["", "nobody"] } },
];

/** A file of users of `kc.sh export`, and the users of the Admin REST API. */
export const keycloak: Recorder = {
  needs: { "kc.sh": "Maven: org.keycloak:keycloak-quarkus-dist", java: "Debian: openjdk-17-jre-headless" },
  async record(server) {
    const port = await freePort();
    const env = {
      KC_BOOTSTRAP_ADMIN_USERNAME: "root",
      KC_BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
      KC_DB: "dev-file",
      KC_DB_URL: `jdbc:h2:file:${join(server.folder, "database")};NON_KEYWORDS=VALUE`,
      KC_HTTP_HOST: "127.0.0.1",
      KC_HTTP_PORT: String(port),
    };
    await server.start(["kc.sh", "start-dev"], port, { env, timeoutMs: START_TIMEOUT_MS });
    const origin = `http://127.0.0.1:${port}`;
    const session = await caller(origin, { "Content-Type": "application/x-www-form-urlencoded" })(
      "POST",
      "/realms/master/protocol/openid-connect/token",
      new URLSearchParams({
        client_id: "admin-cli",
        grant_type: "password",
        username: "root",
        password: PASSWORD,
      }),
    );
    const call = caller(`${origin}/admin/realms`, {
      Authorization: `Bearer ${textIn(session, "access_token")}`,
    });
    // Users of a new realm may have empty attributes. The API for users removes them.
    await call("POST", "", { realm: "acme", enabled: true, groups: [{ name: "staff" }], users });
    const profile = Object(JSON.parse(await call("GET", "/acme/users/profile")));
    await call("PUT", "/acme/users/profile", { ...profile, unmanagedAttributePolicy: "ENABLED" });
    await call("POST", "/acme/clients", {
      clientId: "worker",
      serviceAccountsEnabled: true,
      publicClient: false,
    });
    const listed = await call("GET", "/acme/users?briefRepresentation=false");
    await server.stop();
    const folder = join(server.folder, "export");
    await run(["kc.sh", "export", "--realm", "acme", "--dir", folder, "--users", "different_files"], { env });
    return {
      "keycloak.json": readFileSync(join(folder, "acme-users-0.json"), "utf8"),
      "keycloak-admin.json": `${listed}\n`,
    };
  },
};
