import { describe, expect, setSystemTime, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { verifyWebhook, WebhookVerificationError } from "../../src/client/verify-webhook.ts";
import { createSecret } from "../../src/domain/webhooks/webhooks.ts";
import { signedHeaders } from "../../src/webhooks/signature.ts";

const secret = createSecret();
const id = "0ho78yaryg6";
const body = JSON.stringify({
  type: "user.created",
  timestamp: "2026-11-16T08:00:00.000Z",
  data: { id, type: "user.created", record: { name: "Zoë" } },
});
const nowSeconds = () => Math.floor(Date.now() / 1000);

function sign(secrets: readonly string[], timestamp = nowSeconds(), signedBody = body) {
  return signedHeaders({ id, timestamp, body: signedBody }, secrets);
}
function request(headers: Record<string, string>, sent = body): Request {
  return new Request("http://localhost/hook", { method: "POST", body: sent, headers });
}
const rejected = (promise: Promise<unknown>) =>
  expect(promise).rejects.toBeInstanceOf(WebhookVerificationError);

describe("verifyWebhook", () => {
  test("returns the message of a signed request", async () => {
    const message = await verifyWebhook(request(sign([secret])), secret);
    expect(message).toMatchObject({ ...JSON.parse(body), id });
    if (message.type === "user.created" && typeof message.data.record !== "string") {
      expect(message.data.record?.name).toBe("Zoë");
    }
  });

  test("verifies what the package standardwebhooks signs", async () => {
    const timestamp = nowSeconds();
    const signature = new Webhook(secret).sign(id, new Date(timestamp * 1000), body);
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": `v1a,AAAA v2,invalid v1,%% ${signature}`,
    };
    expect(await verifyWebhook(request(headers), secret)).toMatchObject({ id, type: "user.created" });
  });

  test("accepts any of several secrets, on either side of a rotation", async () => {
    const next = createSecret();
    for (const signers of [[secret], [next], [next, secret]]) {
      expect(await verifyWebhook(request(sign(signers)), [next, secret])).toMatchObject({ id });
    }
    expect(await verifyWebhook(request(sign([next, secret])), secret)).toMatchObject({ id });
  });

  test("accepts a body as text or bytes with the headers of Node.js", async () => {
    const { "webhook-id": webhookId, ...others } = sign([secret]);
    const headers = { "Webhook-Id": webhookId, ...others, accept: undefined, "x-list": ["a", "b"] };
    for (const each of [body, new TextEncoder().encode(body)]) {
      expect(await verifyWebhook({ body: each, headers }, secret)).toMatchObject({ id });
    }
  });

  test("rejects another secret, another body, another id and another time", async () => {
    await rejected(verifyWebhook(request(sign([createSecret()])), secret));
    await rejected(verifyWebhook(request(sign([secret]), body.replace("Zoë", "Zoe")), secret));
    await rejected(verifyWebhook(request({ ...sign([secret]), "webhook-id": "0ho78yaryg7" }), secret));
    const timestamp = nowSeconds();
    const later = { "webhook-timestamp": String(timestamp + 1) };
    await rejected(verifyWebhook(request({ ...sign([secret], timestamp), ...later }), secret));
    await rejected(verifyWebhook(request(sign([secret])), []));
  });

  test("rejects a request without a signature", async () => {
    for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
      await rejected(verifyWebhook(request({ ...sign([secret]), [name]: "" }), secret));
    }
  });

  test.each([-301, 301])(
    "rejects a request from %d seconds away, and accepts one from a second closer",
    async (seconds) => {
      const now = Date.now();
      setSystemTime(now);
      try {
        const timestamp = Math.floor(now / 1000);
        const headers = sign([secret], timestamp);
        setSystemTime((timestamp - seconds) * 1000);
        await rejected(verifyWebhook(request(headers), secret));
        setSystemTime((timestamp - seconds + Math.sign(seconds)) * 1000);
        expect(await verifyWebhook(request(headers), secret)).toMatchObject({ id });
      } finally {
        setSystemTime();
      }
    },
  );

  test("rejects a timestamp that is not a number, and a signed body that is not JSON", async () => {
    await rejected(verifyWebhook(request({ ...sign([secret]), "webhook-timestamp": "NaN" }), secret));
    await rejected(verifyWebhook(request(sign([secret], nowSeconds(), "{"), "{"), secret));
  });

  test("throws a TypeError for a secret that is not one", async () => {
    await expect(verifyWebhook(request(sign([secret])), "whsec_%")).rejects.toBeInstanceOf(TypeError);
    await expect(verifyWebhook(request(sign([secret])), "")).rejects.toBeInstanceOf(TypeError);
  });
});
