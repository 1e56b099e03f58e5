import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { importUsers } from "../../../src/cli/commands/users/import.ts";
import { onEachEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";
import { importFolder, runImport } from "./support/run-import.ts";

setDefaultTimeout(120_000);

const { path: folder, remove } = importFolder();
afterAll(remove);

/** Runs `roster users import` in this process. */
const importFrom = (
  url: string,
  from: string,
  text: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
) => runImport(importUsers, { folder, url, from, text, args, env });

/** The memberships, as `group: user`. */
async function memberships({ roster }: TestService): Promise<string[]> {
  const all = await Array.fromAsync(roster.memberships.export({ names: true }));
  return all.map(({ group, user }) => `${group}: ${user}`).sort();
}

const realm = JSON.stringify({
  realm: "acme",
  groups: [
    { name: "staff", path: "/staff", attributes: { cost: ["7"] }, realmRoles: ["admin"], subGroups: [] },
    { name: "sales", path: "/sales", subGroups: [{ name: "emea", path: "/sales/emea", subGroups: [] }] },
  ],
  users: [
    { id: "1", username: "ada", groups: ["/staff", "/sales/emea"] },
    { id: "2", username: "bob", groups: ["/staff"] },
  ],
});
const flat = ["staff: ada", "staff: bob"];
const flattened = ["sales/emea: ada", "sales: ada", ...flat];

onEachEngine((engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({}, engine);
  });
  afterAll(() => service.stop());

  test("groups and memberships are imported once, however often the import is repeated", async () => {
    const dry = await importFrom(service.url, "keycloak", realm, ["--dry-run", "--flatten"]);
    expect(dry).toMatchObject({ code: 0, stderr: "" });
    expect(dry.stdout).toContain("Checked 3 groups: 3 created, 0 failed. Nothing was changed.");
    expect(dry.stdout).toContain("Checked 4 memberships: 4 added, 0 failed. Nothing was changed.");
    expect(await memberships(service)).toEqual([]);

    const args = ["--idempotency-key", "first"];
    const ran = await importFrom(service.url, "keycloak", realm, args);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toMatch(/^Imported 2 users, 0 failed \(.*\nImported 2 groups, 0 failed \(/);
    expect(ran.stdout).toMatch(/\nrealmRoles +1 +Groups of Roster have no roles\.\n/);
    expect(ran.stdout).toContain("\nAdded 2 memberships, 0 failed (");
    expect(ran.stdout).toEndWith(
      "Not imported: 1 nested group with 1 membership. To import each as a group, add --flatten.\n",
    );
    expect(await memberships(service)).toEqual(flat);
    expect(await service.roster.groups.find({ name: "staff" })).toMatchObject({ cost: "7" });

    const again = await importFrom(service.url, "keycloak", realm, args);
    expect(again).toMatchObject({ code: 0, stderr: "" });
    expect(again.stdout).toContain("\nAdded 0 memberships, 2 unchanged, 0 failed (");
    expect(await memberships(service)).toEqual(flat);

    const skip = ["--on-conflict", "skip", "--match", "userName", "--flatten"];
    const wider = await importFrom(service.url, "keycloak", realm, skip);
    expect(wider).toMatchObject({ code: 0, stderr: "" });
    expect(wider.stdout).toContain("\nImported 1 group, 2 skipped, 0 failed (");
    expect(wider.stdout).toContain("\nAdded 2 memberships, 2 unchanged, 0 failed (");
    expect(await memberships(service)).toEqual(flattened);
    const check = await importFrom(service.url, "keycloak", realm, [...skip, "--dry-run"]);
    expect(check.stdout).toContain("Checked 4 memberships: 0 added, 4 unchanged, 0 failed.");
  });

  test("an import that fails leaves the memberships of what failed out, and says so", async () => {
    // The names are those of the first test, if it has run.
    await importFrom(service.url, "keycloak", realm);
    const ran = await importFrom(service.url, "keycloak", realm, ["--errors", join(folder, "failed.ndjson")]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("group staff: name: ");
    expect(ran.stdout).toContain("Imported 0 groups, 2 failed (");
    expect(ran.stdout).toContain("Added 0 memberships, 0 failed (");
    expect(ran.stdout).toContain("Not imported: 2 memberships (the group was not imported).");
    const failed = await Bun.file(join(folder, "failed.ndjson")).text();
    const sourceIds = failed
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).sourceId);
    expect(sourceIds).toEqual(["1", "2", "/staff", "/sales"]);
  });
});

describe("the groups of an export", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const person = (uid: string) =>
    `dn: uid=${uid},dc=x\nobjectClass: person\nuid: ${uid}\ncn: ${uid}\nmail: ${uid}@example.com\n`;
  const group = (cn: string, rdn: string, ...members: string[]) =>
    `dn: cn=${rdn},dc=x\nobjectClass: groupOfNames\ncn: ${cn}\n${members.map((member) => `member: ${member},dc=x\n`).join("")}`;

  test("are imported as far as they can be, and each failure is named", async () => {
    const text = [
      group("Admins", "admins", "uid=ada", "uid=ghost", "cn=ring"),
      person("ada"),
      person("bob"),
      group("admins", "other admins", "uid=bob"),
      group("x".repeat(257), "long", "uid=bob"),
      group("ring", "ring", "cn=admins", "uid=bob"),
      group("ring", "ring", "uid=ada"),
      group("ring", "ring", "uid=bob"),
    ].join("\n");
    const ran = await importFrom(service.url, "ldif", text);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^group x{257}: name: The name must not be longer than 256 characters\.\n$/);
    expect(ran.stdout).toContain("Imported 2 groups, 1 failed (");
    expect(ran.stdout).toContain("The group cn=ring,dc=x comes again in the export. Its fields");
    expect(ran.stdout).toContain(
      "Not imported: the group cn=other admins,dc=x has the name of an earlier group of the export.",
    );
    expect(ran.stdout).toContain("Added 3 memberships, 0 failed (");
    expect(ran.stdout).toContain("Not imported: 2 memberships (the group was not imported).");
    expect(ran.stdout).toContain(
      "Not imported: 1 membership (the member is not a user or a group of the export).",
    );
    expect(ran.stdout).toContain(
      "Groups in groups were not imported: 2 nested groups with 3 memberships. To add their users to the groups around them, use --flatten.",
    );
    expect(await memberships(service)).toEqual([
      "Admins: ada@example.com",
      "ring: ada@example.com",
      "ring: bob@example.com",
    ]);
  });

  test("fail if they exist, unless --on-conflict says otherwise, and stdout has the results of users only", async () => {
    const text = '[{"username":"eve","groups":["/a/b"]}]';
    expect(await importFrom(service.url, "keycloak", text)).toMatchObject({ code: 0, stderr: "" });
    const ran = await importFrom(service.url, "keycloak", '[{"username":"fay","groups":["/A"]}]', [
      "--output",
      "ndjson",
    ]);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/^\{"line":1,"status":201,"id":\d+,"sourceId":""\}\n$/);
    expect(ran.stderr).toContain("Imported 0 groups, 1 failed (");
    expect(ran.stderr).toContain("Not imported: 1 membership (the group was not imported).");
  });

  /** Passes requests on to the service. Imports of memberships first call `onMemberships`, which may answer them. */
  function startProxy(onMemberships: () => Promise<Response | undefined>) {
    return Bun.serve({
      port: 0,
      async fetch(request) {
        const { pathname, search } = new URL(request.url);
        const body = request.method === "POST" ? await request.arrayBuffer() : undefined;
        const answer = pathname === "/api/memberships/import" ? await onMemberships() : undefined;
        if (answer) return answer;
        return await fetch(service.url + pathname + search, {
          method: request.method,
          headers: request.headers,
          ...(body && { body }),
        });
      },
    });
  }

  test("continue after an interruption with the key that the command prints", async () => {
    let isBroken = true;
    const proxy = startProxy(async () => (isBroken ? new Response("broken", { status: 500 }) : undefined));
    try {
      const text = '[{"username":"hal","groups":["/ships"]},{"username":"ida","groups":["/ships"]}]';
      const url = proxy.url.origin;
      const ended = await importFrom(url, "keycloak", text);
      expect(ended.code).toBe(2);
      expect(ended.stdout).toMatch(/^Imported 2 users, 0 failed .*\nImported 1 group, 0 failed [^\n]*\n$/);
      const [, key = ""] =
        /before the first result\. To continue .* with (--idempotency-key \S+)\./.exec(ended.stderr) ?? [];
      isBroken = false;
      const ran = await importFrom(url, "keycloak", text, key.split(" "));
      expect(ran).toMatchObject({ code: 0, stderr: "" });
      expect(ran.stdout).toContain("Added 2 memberships, 0 failed (");
      const all = await memberships(service);
      expect(all.filter((line) => line.startsWith("ships"))).toEqual(["ships: hal", "ships: ida"]);
    } finally {
      await proxy.stop(true);
    }
  });

  test("lack a member that was deleted during the import, and the failure is named", async () => {
    const proxy = startProxy(async () => {
      const user = await service.roster.users.find({ userName: "jim" });
      if (user) await service.roster.users.delete(user.id);
      return undefined;
    });
    try {
      const errors = join(folder, "failed.ndjson");
      const text = '[{"username":"jan","groups":["/boats"]},{"username":"jim","groups":["/boats"]}]';
      const ran = await importFrom(proxy.url.origin, "keycloak", text, ["--errors", errors]);
      expect(ran.code).toBe(1);
      expect(ran.stderr).toStartWith("user 2 in the group boats: ");
      expect(ran.stdout).toContain("Added 1 membership, 1 failed (");
      expect(await Bun.file(errors).json()).toMatchObject({
        status: 404,
        sourceId: "/boats",
        membership: { group: expect.any(Number), user: expect.any(Number) },
      });
    } finally {
      await proxy.stop(true);
    }
  });

  test("are left out with --no-groups, and no key is asked for their scopes", async () => {
    const { key } = await service.roster.keys.create({ name: "users only", scopes: ["users:write"] });
    const env = { ROSTER_API_KEY: key };
    const text = '[{"username":"guy","groups":["/guys"]}]';
    const refused = await importFrom(service.url, "keycloak", text, [], env);
    expect(refused).toEqual({
      code: 2,
      stdout: "",
      stderr:
        "The key has no scope groups:write and users:read, and groups need it. Use a key with groups:write, users:read, or import only users with --no-groups.",
    });
    const ran = await importFrom(service.url, "keycloak", text, ["--no-groups"], env);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).not.toContain("membership");
    expect(ran.stdout).toMatch(/groups +1 +You left groups out with --no-groups\./);
  });

  test("have their own fields in --show-mapping", async () => {
    const { stdout } = await importFrom(service.url, "ldif", "", ["--show-mapping"]);
    expect(stdout).toMatch(
      /\ngroups of LDAP +Roster +note\ncn, sAMAccountName, dn +name +cn, else sAMAccountName\n/,
    );
    expect(stdout).toMatch(/\nmemberUid +memberships\n/);
  });

  test.each([
    [["--flatten"], "", "need --from"],
    [["--no-groups"], "", "need --from"],
    [["--flatten", "--no-groups"], "keycloak", "not both"],
  ])("are not imported with the flags %p and the system %p", async (args, from, message) => {
    const ran = await importFrom(service.url, from, "{}", args);
    expect(ran.stderr).toContain(message);
  });
});
