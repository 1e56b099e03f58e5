import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { Webhook } from "standardwebhooks";
import { isPublicAddress } from "../../src/domain/ip-address.ts";
import { createSecret } from "../../src/domain/webhooks/webhooks.ts";
import { Sender, type SenderOptions } from "../../src/webhooks/sender.ts";
import { certificateFile } from "../support/paths.ts";
import { testTls } from "../support/tls.ts";
import { type Receiver, startReceiver } from "./support/receiver.ts";

const secret = createSecret();
const body = '{"type":"user.created","timestamp":"2026-11-16T08:00:00.000Z","data":{"name":"Zoë"}}';
const message = (url: string, secrets = [secret]) => ({
  url,
  id: "0ho78yaryg6",
  time: Date.now(),
  body,
  secrets,
});
const senders: Sender[] = [];

function createSender(options: Partial<SenderOptions> = {}): Sender {
  const sender = new Sender({ allowPrivate: true, userAgent: "Roster/test", ...options });
  senders.push(sender);
  return sender;
}

let receiver: Receiver;
beforeAll(() => {
  receiver = startReceiver();
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.respond = () => new Response(null, { status: 204 });
});
afterAll(async () => {
  for (const sender of senders) sender.close();
  await receiver.stop();
});

/** Answers every connection with these bytes. */
async function rawReceiver(answer: (socket: Socket, count: number) => void) {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const count = ++connections;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", () => answer(socket, count));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    connections: () => connections,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describe("a message", () => {
  test("verifies with the package standardwebhooks, and carries no other headers than a delivery needs", async () => {
    const outcome = await createSender().send(message(`${receiver.url}?a=1`));
    expect(outcome).toMatchObject({ code: 204, error: null });
    const [delivery] = receiver.received;
    if (!delivery) throw new Error("Nothing was received.");
    expect(delivery).toMatchObject({ method: "POST", path: "/hook?a=1", body });
    const headers = Object.fromEntries(delivery.headers);
    expect(new Webhook(secret).verify(delivery.body, headers)).toEqual(JSON.parse(body));
    expect(Object.keys(headers).sort()).toEqual([
      "accept",
      "content-length",
      "content-type",
      "host",
      "user-agent",
      "webhook-id",
      "webhook-signature",
      "webhook-timestamp",
    ]);
  });

  test("verifies with either secret during a rotation", async () => {
    const next = createSecret();
    await createSender().send(message(receiver.url, [next, secret]));
    const [delivery] = receiver.received;
    const headers = Object.fromEntries(delivery?.headers ?? []);
    for (const each of [secret, next]) {
      expect(new Webhook(each).verify(delivery?.body ?? "", headers)).toEqual(JSON.parse(body));
    }
    expect(() => new Webhook(createSecret()).verify(delivery?.body ?? "", headers)).toThrow();
  });

  test.each([200, 201, 299])("is delivered if the receiver answers %d", async (code) => {
    receiver.respond = () => new Response("thanks", { status: code });
    expect(await createSender().send(message(receiver.url))).toMatchObject({ code, error: null });
  });

  test.each([400, 404, 410, 500])("is not delivered if the receiver answers %d", async (code) => {
    receiver.respond = () => new Response("no", { status: code });
    const outcome = await createSender().send(message(receiver.url));
    expect(outcome).toMatchObject({ code, error: `The receiver answered ${code}.` });
  });

  test.each([
    ["120", 120_000],
    [new Date(Date.now() + 60_500).toUTCString(), 60_000],
    ["999999999", 86_400_000],
  ])("reports Retry-After: %s", async (header, ms) => {
    receiver.respond = () => new Response(null, { status: 429, headers: { "retry-after": header } });
    const { code, retryAfterMs = 0 } = await createSender().send(message(receiver.url));
    expect(code).toBe(429);
    expect(Math.abs(retryAfterMs - ms)).toBeLessThan(5000);
  });

  test("ignores an invalid Retry-After", async () => {
    receiver.respond = () => new Response(null, { status: 503, headers: { "retry-after": "soon" } });
    expect(await createSender().send(message(receiver.url))).toMatchObject({ retryAfterMs: undefined });
  });
});

describe("a redirect", () => {
  test("to a private address is not followed", async () => {
    using target = await rawReceiver(() => undefined);
    receiver.respond = () => Response.redirect(target.url, 307);
    const outcome = await createSender().send(message(receiver.url));
    expect(outcome).toMatchObject({
      code: 307,
      error: "The receiver redirected (307). Redirects are not followed.",
    });
    expect(target.connections()).toBe(0);
  });
});

const refused = "The host has a private, local or reserved address.";

describe("without ROSTER_WEBHOOK_PRIVATE=allow", () => {
  test.each([
    ["https://127.0.0.1/"],
    ["https://2130706433/"],
    ["https://0177.0.0.1/"],
    ["https://0x7f000001/"],
    ["https://[::1]/"],
    ["https://[::ffff:10.0.0.1]/"],
    ["https://169.254.169.254/latest/meta-data/"],
    ["https://0.0.0.0/"],
  ])("does not connect to %s", async (url) => {
    expect(await createSender({ allowPrivate: false }).send(message(url))).toMatchObject({
      code: null,
      error: refused,
    });
  });

  test.each([
    ["loopback", ["127.0.0.1"]],
    ["a mapped private address", ["::ffff:10.0.0.1"]],
    ["a metadata address", ["169.254.169.254"]],
    ["a private address among public ones", ["93.184.215.14", "10.0.0.1"]],
  ])("does not connect to a name that resolves to %s", async (_, addresses) => {
    const port = new URL(receiver.url).port;
    const sender = createSender({ allowPrivate: false, resolve: async () => addresses });
    const outcome = await sender.send(message(`https://hooks.example:${port}/hook`));
    expect(outcome).toMatchObject({ code: null, error: refused });
    expect(receiver.received).toEqual([]);
  });

  test("requires https", async () => {
    const sender = createSender({ allowPrivate: false, resolve: async () => ["93.184.215.14"] });
    expect(await sender.send(message("http://hooks.example/"))).toMatchObject({
      error: "The URL must use https.",
    });
  });
});

describe("with ROSTER_WEBHOOK_PRIVATE=allow", () => {
  test("requires https for a public address", async () => {
    const sender = createSender({ resolve: async () => ["93.184.215.14"] });
    expect(await sender.send(message("http://hooks.example/"))).toMatchObject({
      error: "The URL must use https.",
    });
  });
});

test("a URL with credentials is refused", async () => {
  const outcome = await createSender().send(message(receiver.url.replace("//", "//ada:secret@")));
  expect(outcome.error).toBe("The URL must not contain a user name or a password.");
  expect(receiver.received).toEqual([]);
});

test("a URL that is not valid is an error", async () => {
  expect(await createSender().send(message("https://[hooks"))).toMatchObject({
    code: null,
    error: "The URL is not valid.",
  });
});

test.each([
  ["that responds", 500, true],
  ["that refuses the connection", null, false],
])("an outcome tells whether a receiver %s was reached", async (_, code, isReached) => {
  const closed = await rawReceiver(() => undefined);
  closed[Symbol.dispose]();
  receiver.respond = () => new Response(null, { status: 500 });
  const url = isReached ? receiver.url : closed.url;
  expect(await createSender().send(message(url))).toMatchObject({ code, isReached });
});

test("a name that cannot be resolved is an error", async () => {
  const sender = createSender({ resolve: () => Promise.reject(new Error("ENOTFOUND")) });
  expect(await sender.send(message("https://hooks.example/"))).toMatchObject({
    error: "The host name cannot be resolved.",
  });
});

test("connects to the address that was checked, even if the name then resolves to another one", async () => {
  const port = Number(new URL(receiver.url).port);
  const other = startReceiver({ hostname: "127.0.0.2", port });
  try {
    const answers = ["127.0.0.1", "127.0.0.2", "127.0.0.2"];
    let lookups = 0;
    const sender = createSender({ resolve: async () => [answers[lookups++] ?? "127.0.0.2"] });
    const outcome = await sender.send(message(`http://rebind.example:${port}/hook`));
    expect(outcome.error).toBeNull();
    expect(lookups).toBe(1);
    expect(receiver.received.map(({ headers }) => headers.get("host"))).toEqual([`rebind.example:${port}`]);
    expect(other.received).toEqual([]);
    // The next attempt resolves again, and does not reuse the connection to the old address.
    await sender.send(message(`http://rebind.example:${port}/hook`));
    expect(receiver.received).toHaveLength(1);
    expect(other.received).toHaveLength(1);
  } finally {
    await other.stop();
  }
});

test("checks the name again for each attempt, and refuses it when it has become private", async () => {
  const answers = [["93.184.215.14"], ["127.0.0.1"]];
  const sender = createSender({
    allowPrivate: false,
    timeoutMs: 50,
    resolve: async () => answers.shift() ?? [],
  });
  const port = new URL(receiver.url).port;
  expect((await sender.send(message(`https://hooks.example:${port}/`))).error).not.toBe(refused);
  expect((await sender.send(message(`https://hooks.example:${port}/`))).error).toBe(refused);
  expect(receiver.received).toEqual([]);
});

test("uses the next address if the first one does not accept the connection", async () => {
  const port = new URL(receiver.url).port;
  const sender = createSender({ resolve: async () => ["127.0.0.9", "127.0.0.1"] });
  expect(await sender.send(message(`http://hooks.example:${port}/hook`))).toMatchObject({ error: null });
});

describe("TLS", () => {
  let secure: Receiver;
  beforeAll(() => {
    const { tlsCert, tlsKey } = testTls.settings;
    secure = startReceiver({
      tls: { cert: readFileSync(tlsCert, "utf8"), key: readFileSync(tlsKey, "utf8") },
    });
  });
  afterAll(() => secure.stop());
  const named = (name: string) => message(secure.url.replace("127.0.0.1", name));
  const invalid = "The TLS certificate is not valid for this host.";

  test("checks the certificate for the name in the URL, on a connection to the checked address", async () => {
    const sender = createSender({ ca: testTls.ca, resolve: async () => ["127.0.0.1"] });
    expect(await sender.send(named("localhost"))).toMatchObject({ code: 204, error: null });
    expect(await sender.send(named("hooks.example"))).toMatchObject({ code: null, error: invalid });
    expect(secure.received).toHaveLength(1);
  });

  test("rejects a certificate of an unknown authority", async () => {
    const ca = readFileSync(certificateFile("other-authority.crt"), "utf8");
    expect(
      await createSender({ ca, resolve: async () => ["127.0.0.1"] }).send(named("localhost")),
    ).toMatchObject({
      error: invalid,
    });
    expect(await createSender({ resolve: async () => ["127.0.0.1"] }).send(named("localhost"))).toMatchObject(
      {
        error: invalid,
      },
    );
  });

  test("fails if the receiver does not speak TLS", async () => {
    const url = receiver.url.replace("http:", "https:");
    expect((await createSender({ timeoutMs: 2000 }).send(message(url))).code).toBeNull();
  });
});

describe("a receiver", () => {
  test("that never answers is given up after the time limit", async () => {
    using silent = await rawReceiver(() => undefined);
    const outcome = await createSender({ timeoutMs: 50 }).send(message(silent.url));
    expect(outcome).toMatchObject({ code: null, error: "The host did not respond in time." });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(45);
  });

  test("that trickles its response is given up after the same time limit", async () => {
    using slow = await rawReceiver((socket) => {
      const timer = setInterval(() => socket.write("H"), 10);
      socket.on("close", () => clearInterval(timer));
    });
    const outcome = await createSender({ timeoutMs: 60 }).send(message(slow.url));
    expect(outcome.error).toBe("The host did not respond in time.");
  });

  test("that refuses the connection is an error", async () => {
    const closed = await rawReceiver(() => undefined);
    closed[Symbol.dispose]();
    expect(await createSender().send(message(closed.url))).toMatchObject({
      error: "The host refused the connection.",
    });
  });

  test("that closes the connection is an error", async () => {
    using rude = await rawReceiver((socket) => socket.end());
    expect(await createSender().send(message(rude.url))).toMatchObject({
      error: "The connection was closed before the response.",
    });
  });

  test.each([
    ["SSH-2.0-OpenSSH\r\n\r\n", "The response is not valid HTTP."],
    [`HTTP/1.1 200 OK\r\nx: ${"a".repeat(20_000)}`, "The head of the response is too large."],
  ])("that sends something else than HTTP is an error", async (text, error) => {
    using odd = await rawReceiver((socket) => socket.write(text));
    expect(await createSender().send(message(odd.url))).toMatchObject({ code: null, error });
  });

  test("that sends an endless body is disconnected", async () => {
    const closed = Promise.withResolvers<void>();
    using endless = await rawReceiver((socket) => {
      socket.on("close", () => closed.resolve());
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
      const timer = setInterval(() => socket.write(`1000\r\n${"a".repeat(4096)}\r\n`), 1);
      socket.on("close", () => clearInterval(timer));
    });
    expect(await createSender().send(message(endless.url))).toMatchObject({ code: 200, error: null });
    await closed.promise;
  });

  describe("that never ends its body is disconnected", () => {
    test.each([
      ["some time after the head", { idleMs: 20 }, () => undefined],
      ["when the sender closes", {}, (sender: Sender) => sender.close()],
    ])("%s", async (_, options, act) => {
      const closed = Promise.withResolvers<void>();
      using endless = await rawReceiver((socket) => {
        socket.on("close", () => closed.resolve());
        socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n");
      });
      const sender = createSender(options);
      expect(await sender.send(message(endless.url))).toMatchObject({ code: 200, error: null });
      act(sender);
      await closed.promise;
    });
  });

  test("gets no message on a connection whose last response has not ended", async () => {
    using endless = await rawReceiver((socket) =>
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\na"),
    );
    const sender = createSender();
    for (let count = 1; count <= 3; count++) {
      expect((await sender.send(message(endless.url))).error).toBeNull();
      expect(endless.connections()).toBe(count);
    }
  });

  test.each([
    ["a length", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"],
    ["chunks", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"],
    ["an informational response first", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"],
  ])("that answers with %s gets the next message on the same connection", async (_, text) => {
    using kept = await rawReceiver((socket) => socket.write(text));
    const sender = createSender();
    for (let count = 0; count < 3; count++) {
      expect((await sender.send(message(kept.url))).error).toBeNull();
    }
    expect(kept.connections()).toBe(1);
  });

  test("that closes idle connections gets the next message on a new one", async () => {
    using closing = await rawReceiver((socket, count) => {
      if (count === 1) socket.end("HTTP/1.1 204 No Content\r\n\r\n");
      else socket.write("HTTP/1.1 204 No Content\r\n\r\n");
    });
    const sender = createSender();
    expect((await sender.send(message(closing.url))).error).toBeNull();
    expect((await sender.send(message(closing.url))).error).toBeNull();
    expect(closing.connections()).toBe(2);
  });
});

describe("a response", () => {
  const keepsResponseOf = () => true;
  const head = "HTTP/1.1 500 No\r\n";
  const answerOf = async (text: string | Uint8Array, options: Partial<SenderOptions> = {}) => {
    using answering = await rawReceiver((socket) => socket.write(text));
    return await createSender({ keepsResponseOf, ...options }).send(message(answering.url));
  };
  const withLength = (body: string) => `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const chunked = `${head}transfer-encoding: chunked\r\n\r\n4\r\nUpgr\r\n5\r\nading\r\n0\r\n\r\n`;

  test("is kept only if the sender stores responses", async () => {
    using answering = await rawReceiver((socket) => socket.write(withLength("No")));
    expect(await createSender().send(message(answering.url))).not.toHaveProperty("response");
  });

  test("is not kept if one of the addresses is private", async () => {
    const asked: string[] = [];
    const keepsPublic = (address: string) => {
      asked.push(address);
      return isPublicAddress(address);
    };
    expect(await answerOf(withLength("No"), { keepsResponseOf: keepsPublic })).not.toHaveProperty("response");
    expect(asked).toEqual(["127.0.0.1"]);
    using answering = await rawReceiver((socket) => socket.write(withLength("No")));
    const { port } = new URL(answering.url);
    const mixed = createSender({
      keepsResponseOf: (address) => address === "127.0.0.1",
      resolve: async () => ["127.0.0.1", "10.0.0.1"],
    });
    const outcome = await mixed.send(message(`http://hooks.example:${port}/`));
    expect(outcome).toMatchObject({ code: 500 });
    expect(outcome).not.toHaveProperty("response");
  });

  test.each([
    ["with a length", withLength("Upgrading"), "Upgrading"],
    ["in chunks", chunked, "Upgrading"],
    ["without a body", `${head}content-length: 0\r\n\r\n`, ""],
    ["that never has one", "HTTP/1.1 204 No Content\r\n\r\n", ""],
    ["with characters of two to four bytes", withLength("Zoë 日本 🙂"), "Zoë 日本 🙂"],
  ])("%s is kept whole", async (_, text, body) => {
    expect(await answerOf(text)).toMatchObject({ response: { body, isCut: false } });
  });

  test("whose end is that of the connection is kept whole", async () => {
    using answering = await rawReceiver((socket) => socket.end(`${head}\r\nUpgrading`));
    const outcome = await createSender({ keepsResponseOf }).send(message(answering.url));
    expect(outcome).toMatchObject({ code: 500, response: { body: "Upgrading", isCut: false } });
  });

  test("in several parts is kept whole", async () => {
    using answering = await rawReceiver((socket) => {
      socket.write(`${head}content-length: 9\r\n\r\nUp`);
      setTimeout(() => socket.write("grading"), 5);
    });
    const outcome = await createSender({ keepsResponseOf }).send(message(answering.url));
    expect(outcome).toMatchObject({ response: { body: "Upgrading", isCut: false } });
  });

  test("has at most 4096 bytes, and ends between characters", async () => {
    const ascii = "a".repeat(4096);
    expect(await answerOf(withLength(ascii))).toMatchObject({ response: { body: ascii, isCut: false } });
    expect(await answerOf(withLength(`${ascii}b`))).toMatchObject({ response: { body: ascii, isCut: true } });
    const { response } = await answerOf(withLength(`a${"日".repeat(2000)}`));
    expect(response).toEqual({ body: `a${"日".repeat(1365)}`, isCut: true });
    const { response: invalid } = await answerOf(
      Buffer.concat([Buffer.from(`${head}content-length: 4096\r\n\r\n`), Buffer.alloc(4096, 0xff)]),
    );
    expect(invalid).toEqual({ body: "\ufffd".repeat(1365), isCut: true });
  });

  test("has no control characters but tabs and line breaks", async () => {
    const body = "a\tb\r\nc\nd\0\u001b[31m\u202e\u2028\u0085<b>";
    expect(await answerOf(withLength(body))).toMatchObject({
      response: { body: "a\tb\nc\nd\ufffd\ufffd[31m\ufffd\ufffd\ufffd<b>" },
    });
  });

  test("that is compressed is not kept", async () => {
    const text = `${head}content-encoding: gzip\r\ncontent-length: 2\r\n\r\nab`;
    const outcome = await answerOf(text);
    expect(outcome).toMatchObject({ code: 500 });
    expect(outcome).not.toHaveProperty("response");
  });

  test("whose body never ends counts by its status, and what has arrived of it is kept", async () => {
    expect(await answerOf(`${head}content-length: 9\r\n\r\nUp`, { timeoutMs: 100 })).toMatchObject({
      code: 500,
      error: "The receiver answered 500.",
      response: { body: "Up", isCut: true },
    });
    expect(await answerOf(`${head}\r\nUp`)).toMatchObject({
      code: 500,
      response: { body: "Up", isCut: true },
    });
  });

  test("does not keep the connection from being used again", async () => {
    using kept = await rawReceiver((socket) => socket.write(chunked));
    const sender = createSender({ keepsResponseOf });
    for (let count = 0; count < 3; count++) {
      expect(await sender.send(message(kept.url))).toMatchObject({ response: { body: "Upgrading" } });
    }
    expect(kept.connections()).toBe(1);
  });
});

test("uses no proxy of the environment", async () => {
  using proxy = await rawReceiver((socket) => socket.end("HTTP/1.1 502 Proxy\r\ncontent-length: 0\r\n\r\n"));
  const program = `
    import { Sender } from "./src/webhooks/sender.ts";
    const sender = new Sender({ allowPrivate: true, userAgent: "Roster/test" });
    const outcome = await sender.send(${JSON.stringify(message(receiver.url))});
    console.log(outcome.code);
    sender.close();`;
  const child = Bun.spawn([process.execPath, "-e", program], {
    env: { ...process.env, HTTP_PROXY: proxy.url, http_proxy: proxy.url, HTTPS_PROXY: proxy.url },
    cwd: `${import.meta.dir}/../..`,
    stderr: "inherit",
  });
  expect((await new Response(child.stdout).text()).trim()).toBe("204");
  expect(proxy.connections()).toBe(0);
});

test("closing the sender cancels what is being sent", async () => {
  using silent = await rawReceiver(() => undefined);
  const sender = createSender();
  const sending = sender.send(message(silent.url));
  await Bun.sleep(0);
  sender.close();
  expect((await sending).code).toBeNull();
});
