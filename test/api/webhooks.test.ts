import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { webhookLimits } from "../../src/contract/webhooks/webhook.ts";
import type { Webhook, WebhookWithSecret } from "../../src/contract/webhooks/webhook-schemas.ts";
import { bearer, startSession } from "../support/credentials.ts";
import { onEachEngine } from "../support/engines.ts";
import { type ReadResponse, readResponse } from "../support/responses.ts";
import { startService } from "../support/service.ts";
import { KeyAdmin } from "./access/support/key-admin.ts";

setDefaultTimeout(120_000);

const input = { url: "https://hooks.example.com/roster?tenant=1", types: ["user.*", "key.created"] };
const ifMatch = (version: number) => ({ "if-match": `"${version}"` });

function withoutSecret({ secret: _, ...webhook }: WebhookWithSecret): Webhook {
  return webhook;
}

/** The problem type, and the JSON Pointers of its errors. */
function describeProblem({ status, problem }: ReadResponse): unknown[] {
  const pointers = problem?.errors?.map(({ pointer }) => pointer);
  return [status, problem?.type.replace("/problems/", ""), ...(pointers ? [pointers] : [])];
}

onEachEngine((engine) => {
  const admin = new KeyAdmin(engine);
  const list = async (): Promise<Webhook[]> => await (await admin.call("/api/webhooks")).json();
  const create = async (body: object = input): Promise<WebhookWithSecret> => {
    const { status, text } = await readResponse(admin.call("/api/webhooks", { method: "POST", json: body }));
    expect([status, text.slice(0, 200)]).toEqual([201, expect.any(String)]);
    return JSON.parse(text);
  };
  const environment = () => admin.createKey({ name: "hooks", scopes: ["webhooks:manage", "events:read"] });

  afterEach(async () => {
    for (const { id } of await list()) await admin.call(`/api/webhooks/${id}`, { method: "DELETE" });
  });

  describe("webhooks", () => {
    test("are created with a secret, which no other response has", async () => {
      const { status, headers, text } = await readResponse(
        admin.call("/api/webhooks", { method: "POST", json: input }),
      );
      const created: WebhookWithSecret = JSON.parse(text);
      expect(status).toBe(201);
      expect(headers.get("location")).toBe(`/api/webhooks/${created.id}`);
      expect(headers.get("etag")).toBe('"1"');
      expect(headers.get("cache-control")).toBe("no-store");
      expect(created).toEqual({
        id: expect.any(Number),
        ...input,
        description: "",
        filter: null,
        active: true,
        disabledReason: null,
        failingSince: null,
        previousSecretUntil: null,
        version: 1,
        createdAt: expect.any(String),
        updatedAt: created.createdAt,
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      });
      expect(Buffer.from(created.secret.slice("whsec_".length), "base64")).toHaveLength(32);
      const read = await readResponse(admin.call(`/api/webhooks/${created.id}`));
      expect(read.headers.get("etag")).toBe('"1"');
      expect(JSON.parse(read.text)).toEqual(withoutSecret(created));
      expect(await list()).toEqual([withoutSecret(created)]);
      const events = await readResponse(admin.call(`/api/events?subject=webhook:${created.id}`));
      expect(JSON.parse(events.text)).toMatchObject([
        { type: "webhook.created", version: 1, record: withoutSecret(created) },
      ]);
      expect(events.text).not.toContain(created.secret);
    });

    test("accept every field, and a patch of any of them", async () => {
      const all = { ...input, description: "CRM", active: false, filter: 'department eq "sales"' };
      const created = await create(all);
      expect(created).toMatchObject(all);
      const path = `/api/webhooks/${created.id}`;
      const patch = { types: ["*"], description: null, filter: null };
      const patched = await readResponse(admin.call(path, { method: "PATCH", json: patch }));
      expect([patched.status, patched.headers.get("etag")]).toEqual([200, '"2"']);
      const after = { ...withoutSecret(created), types: ["*"], description: "", filter: null, version: 2 };
      expect(JSON.parse(patched.text)).toEqual({ ...after, updatedAt: expect.any(String) });
      const again = await readResponse(admin.call(path, { method: "PATCH", json: { types: ["*"] } }));
      expect(again.headers.get("etag")).toBe('"2"');
      const active = await readResponse(
        admin.call(path, { method: "PATCH", json: { active: true, url: "https://hooks.example.com/" } }),
      );
      expect(JSON.parse(active.text)).toMatchObject({ active: true, url: "https://hooks.example.com/" });
    });

    test("change only if they still have the ETag", async () => {
      const { id } = await create();
      const path = `/api/webhooks/${id}`;
      const key = await environment();
      const send = (method: string, suffix: string, headers: Record<string, string>, body?: object) =>
        readResponse(
          admin.call(path + suffix, { method, json: body, headers: { ...bearer(key.key), ...headers } }),
        );
      for (const headers of [ifMatch(2), { "if-none-match": "*" }]) {
        const type = "if-match" in headers ? "version-mismatch" : "precondition-failed";
        for (const response of [
          await send("PATCH", "", headers, { active: false }),
          await send("DELETE", "", headers),
          await send("POST", "/rotate", headers),
        ]) {
          expect(describeProblem(response)).toEqual([412, type]);
          expect(response.problem?.detail).toStartWith(`Webhook ${id} `);
        }
      }
      expect(describeProblem(await send("GET", "", ifMatch(2)))).toEqual([412, "version-mismatch"]);
      expect((await send("PATCH", "", ifMatch(1), { active: false })).status).toBe(200);
      expect((await send("POST", "/rotate", ifMatch(2))).headers.get("etag")).toBe('"3"');
      expect((await send("DELETE", "", ifMatch(3))).status).toBe(204);
    });

    test("get a new secret, and keep the old one for 24 hours", async () => {
      const created = await create();
      const { status, headers, text } = await readResponse(
        admin.call(`/api/webhooks/${created.id}/rotate`, { method: "POST" }),
      );
      const rotated: WebhookWithSecret = JSON.parse(text);
      expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
      expect(rotated.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(rotated.secret).not.toBe(created.secret);
      const hours = (Date.parse(rotated.previousSecretUntil ?? "") - Date.now()) / 3_600_000;
      expect(hours).toBeWithin(webhookLimits.rotationHours - 0.1, webhookLimits.rotationHours + 0.001);
      const events = await readResponse(
        admin.call(`/api/events?subject=webhook:${created.id}&sort=-id&limit=1`),
      );
      expect(JSON.parse(events.text)).toMatchObject([
        { type: "webhook.updated", changes: { previousSecretUntil: { from: null } } },
      ]);
      expect(events.text).not.toContain("whsec_");
    });

    test("are listed in pages, by id", async () => {
      const ids: number[] = [];
      for (let count = 0; count < 3; count++) ids.push((await create()).id);
      const first = await readResponse(admin.call("/api/webhooks?limit=2"));
      expect(JSON.parse(first.text).map(({ id }: Webhook) => id)).toEqual(ids.slice(0, 2));
      expect(first.headers.get("link")).toBe(`</api/webhooks?limit=2&after=${ids[1]}>; rel="next"`);
      const next = await readResponse(admin.call(`/api/webhooks?limit=2&after=${ids[1]}`));
      expect(JSON.parse(next.text).map(({ id }: Webhook) => id)).toEqual(ids.slice(2));
      expect(next.headers.get("link")).toBeNull();
      for (const query of ["limit=0", "after=x", "active=true", "limit=1&limit=2"])
        expect((await admin.call(`/api/webhooks?${query}`)).status).toBe(400);
    });

    test("are gone after DELETE, with their last record in the event", async () => {
      const created = await create();
      const path = `/api/webhooks/${created.id}`;
      expect((await admin.call(path, { method: "DELETE" })).status).toBe(204);
      for (const [method, suffix, body] of [
        ["GET", ""],
        ["DELETE", ""],
        ["PATCH", "", {}],
        ["POST", "/rotate"],
      ] as const)
        expect(
          describeProblem(await readResponse(admin.call(path + suffix, { method, json: body }))),
        ).toEqual([404, "webhook-not-found"]);
      const events = await readResponse(admin.call(`/api/events?type=webhook.deleted&sort=-id&limit=1`));
      expect(JSON.parse(events.text)).toMatchObject([{ record: withoutSecret(created) }]);
      expect(describeProblem(await readResponse(admin.call("/api/webhooks/0")))).toEqual([
        404,
        "webhook-not-found",
      ]);
    });

    test("need webhooks:manage, and events:read to choose which events go where", async () => {
      const { id } = await create();
      const path = `/api/webhooks/${id}`;
      const { key } = await admin.createKey({ name: "no events", scopes: ["webhooks:manage"] });
      const creating = await readResponse(
        admin.call("/api/webhooks", { method: "POST", json: input, headers: bearer(key) }),
      );
      expect([creating.status, creating.problem?.detail]).toEqual([
        403,
        "A key with the scope events:read is required.",
      ]);
      expect(
        (await admin.call(path, { method: "PATCH", json: { active: false }, headers: bearer(key) })).status,
      ).toBe(403);
      expect((await admin.call(path, { headers: bearer(key) })).status).toBe(200);
      expect((await admin.call(path, { method: "DELETE", headers: bearer(key) })).status).toBe(204);
    });

    test("need the key itself for a new webhook, another URL or another secret", async () => {
      const { id } = await create();
      const session = await startSession(admin, (await environment()).key);
      const send = (method: string, path: string, body?: object) =>
        readResponse(admin.call(path, { method, json: body, headers: session }));
      const refused = [
        await send("POST", "/api/webhooks", input),
        await send("PATCH", `/api/webhooks/${id}`, { url: "https://hooks.example.com/mine" }),
        await send("POST", `/api/webhooks/${id}/rotate`),
      ];
      expect(refused.map(describeProblem)).toEqual(Array(3).fill([403, "key-required"]));
      expect((await send("PATCH", `/api/webhooks/${id}`, { active: false })).status).toBe(200);
    });

    const rejected: Record<string, [body: unknown, pointers: string[]]> = {
      "an array": [[], [""]],
      "no fields": [{}, ["/url", "/types"]],
      "an unknown field": [{ ...input, secret: "whsec_mine" }, ["/secret"]],
      "a URL that is not text": [{ ...input, url: 1 }, ["/url"]],
      "an empty URL": [{ ...input, url: "" }, ["/url"]],
      "a URL without a scheme": [{ ...input, url: "hooks.example.com" }, ["/url"]],
      "another scheme": [{ ...input, url: "ftp://hooks.example.com/" }, ["/url"]],
      "an unencrypted URL": [{ ...input, url: "http://hooks.example.com/" }, ["/url"]],
      "a URL with a line break": [{ ...input, url: "https://hooks.example.com/\n" }, ["/url"]],
      "a URL with credentials": [{ ...input, url: "https://user:pass@hooks.example.com/" }, ["/url"]],
      "a URL with a user name": [{ ...input, url: "https://user@hooks.example.com/" }, ["/url"]],
      "a URL that is too long": [
        { ...input, url: `https://hooks.example.com/${"a".repeat(2023)}` },
        ["/url"],
      ],
      "a name of this machine": [{ ...input, url: "https://localhost/" }, ["/url"]],
      "a loopback address": [{ ...input, url: "https://127.0.0.1/" }, ["/url"]],
      "a decimal loopback address": [{ ...input, url: "https://2130706433/" }, ["/url"]],
      "an octal loopback address": [{ ...input, url: "https://0177.0.0.1/" }, ["/url"]],
      "an IPv6 loopback address": [{ ...input, url: "https://[::1]/" }, ["/url"]],
      "a mapped private address": [{ ...input, url: "https://[::ffff:10.0.0.1]/" }, ["/url"]],
      "a metadata address": [{ ...input, url: "https://169.254.169.254/latest" }, ["/url"]],
      "no types": [{ ...input, types: [] }, ["/types"]],
      "types as text": [{ ...input, types: "user.*" }, ["/types"]],
      "an unknown type": [{ ...input, types: ["user.*", "user.vanished"] }, ["/types/1"]],
      "an unknown subject": [{ ...input, types: ["ghost.*"] }, ["/types/0"]],
      "a type that is not text": [{ ...input, types: [null] }, ["/types/0"]],
      "a repeated type": [{ ...input, types: ["*", "*"] }, ["/types"]],
      "too many types": [{ ...input, types: Array(51).fill("*") }, ["/types"]],
      "a long description": [{ ...input, description: "🪝".repeat(501) }, ["/description"]],
      "a control character": [{ ...input, description: "a\u0000b" }, ["/description"]],
      "half of a surrogate pair": [{ ...input, description: "\ud83d" }, ["/description"]],
      "an active that is not boolean": [{ ...input, active: "yes" }, ["/active"]],
      "a filter that is not text": [{ ...input, filter: {} }, ["/filter"]],
      "half of a surrogate pair in a filter": [{ ...input, filter: 'name eq "\ud83d"' }, ["/filter"]],
      "several errors": [{ url: "", types: [], active: 1 }, ["/url", "/types", "/active"]],
    };
    test.each(Object.entries(rejected))("reject %s", async (_, [body, pointers]) => {
      expect(
        describeProblem(await readResponse(admin.call("/api/webhooks", { method: "POST", json: body }))),
      ).toEqual([422, "invalid-webhook", pointers]);
      expect(await list()).toEqual([]);
    });

    test("accept the longest values", async () => {
      const url = `https://hooks.example.com/${"a".repeat(2022)}`;
      expect(await create({ ...input, url, description: "🪝".repeat(500) })).toMatchObject({ url });
    });

    test("tell the position of an error in a filter expression", async () => {
      const body = { ...input, filter: "level ge" };
      const { problem } = await readResponse(admin.call("/api/webhooks", { method: "POST", json: body }));
      expect(problem?.errors).toMatchObject([{ pointer: "/filter", position: 9 }]);
      const { id } = await create();
      const patched = await readResponse(
        admin.call(`/api/webhooks/${id}`, { method: "PATCH", json: { filter: "level ge" } }),
      );
      expect(patched.problem?.errors).toMatchObject([{ pointer: "/filter", position: 9 }]);
    });
  });
});

describe("webhooks to private addresses", () => {
  test("are accepted with ROSTER_WEBHOOK_PRIVATE=allow, also unencrypted, on an open service", async () => {
    await using roster = await disposable(startService({ webhookPrivate: "allow" }));
    const status = async (url: string) => {
      const response = await roster.call("/api/webhooks", { method: "POST", json: { ...input, url } });
      await response.body?.cancel();
      return response.status;
    };
    expect(await status("http://127.0.0.1:4000/hook")).toBe(201);
    expect(await status("http://[fd00::1]/")).toBe(201);
    expect(await status("http://crm.internal/hook")).toBe(201);
    expect(await status("https://10.0.0.1/")).toBe(201);
    expect(await status("http://93.184.215.14/")).toBe(422);
    expect(await status("http://user@127.0.0.1/")).toBe(422);
    expect(roster.log.join("")).not.toContain("whsec_");
  });

  test("cannot be created with ROSTER_AUTH=off", async () => {
    await using roster = await disposable(startService({ auth: "off" }));
    const response = await roster.call("/api/webhooks", { method: "POST", json: input });
    expect([response.status, (await response.json()).detail]).toEqual([
      403,
      "With ROSTER_AUTH=off, nobody can manage webhooks: they would outlive this setting.",
    ]);
  });
});

async function disposable<T extends { stop(): Promise<void> }>(
  starting: Promise<T>,
): Promise<T & AsyncDisposable> {
  const service = await starting;
  return { ...service, [Symbol.asyncDispose]: () => service.stop() };
}
