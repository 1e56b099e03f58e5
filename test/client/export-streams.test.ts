import { afterEach, describe, expect, test } from "bun:test";
import type { ServerResponse } from "node:http";
import { ApiError, NetworkError, TimeoutError } from "../../src/client/index.ts";
import { until } from "../support/until.ts";
import { restoreClock, skipDelays, stopClock } from "./support/clock.ts";
import {
  ada,
  failure,
  failureOf,
  json,
  problem,
  quietClient,
  serveHttp,
  startServer,
  stopServers,
} from "./support/servers.ts";
import { createCountingSignal } from "./support/signals.ts";
import { iterate, line, ndjson, never, nextTurn, serveBegin, settled } from "./support/streams.ts";

afterEach(restoreClock);
afterEach(stopServers);

describe("an export", () => {
  test("sends the format, the key and the query", async () => {
    const { url, seen } = await startServer(
      { headers: ndjson, body: line(ada) },
      { headers: { "content-type": "text/csv" } },
    );
    const { users } = quietClient(url, { apiKey: "rk_secret" });
    for await (const user of users.export({ where: { team: ["a", "b&c"] }, q: "x", sort: "-name" })) {
      expect(user).toEqual(ada);
    }
    await users.export().stream("csv");
    expect(seen.map(({ target }) => target)).toEqual([
      "/api/users/export?team=a&team=b%26c&q=x&sort=-name",
      "/api/users/export",
    ]);
    expect(seen.map(({ headers }) => [headers.accept, headers.authorization])).toEqual([
      ["application/x-ndjson", "Bearer rk_secret"],
      ["text/csv", "Bearer rk_secret"],
    ]);
  });

  test("that is cut off yields what arrived, throws a NetworkError, and is not repeated", async () => {
    const server = await serveBegin(line(ada) + line({ ...ada, id: 8 }));
    const { items, error } = await iterate(quietClient(server.url).users.export(), ({ id }) => {
      if (id === 8) server.cutOff();
    });
    expect(items.map(({ id }) => id)).toEqual([7, 8]);
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({
      tries: 1,
      message: expect.stringMatching(/^GET \/api\/users\/export: the response was cut off: ./),
    });
    expect(server.requests).toBe(1);
  });

  const endings = {
    "in the middle of a line": `${line(ada)}{"id":8,"na`,
    "in the middle of a character": Buffer.from(`${line(ada)}{"name":"é`).subarray(0, -1),
    "before the newline of the last line": `${line(ada)}${JSON.stringify(ada)}`,
  };
  for (const [where, body] of Object.entries(endings)) {
    test(`that ends ${where} throws a NetworkError, even on a good connection`, async () => {
      const { url } = await startServer({ headers: ndjson, body });
      const { items, error } = await iterate(quietClient(url).users.export());
      expect(items).toEqual([ada]);
      expect(error).toBeInstanceOf(NetworkError);
      expect(String(error)).toEndWith("the response was cut off: the last line is incomplete");
    });
  }

  test("is retried until it starts", async () => {
    skipDelays();
    const busy = problem("unavailable", { "retry-after": "0" });
    const { url, seen } = await startServer("drop", busy, { headers: ndjson, body: line(ada) });
    const { users } = quietClient(url);
    const items: unknown[] = [];
    for await (const user of users.export()) items.push(user);
    expect(items).toEqual([ada]);
    expect(seen).toHaveLength(3);
  });

  test("with an error response throws an ApiError, and calls onError once", async () => {
    const { url } = await startServer(problem("insufficient-scope"));
    const reported: unknown[] = [];
    const { users } = quietClient(url, { onError: (error) => reported.push(error) });
    const { items, error } = await iterate(users.export());
    expect(items).toEqual([]);
    expect(error).toMatchObject({ name: "ApiError", status: 403, type: "insufficient-scope" });
    const again = await failureOf(ApiError, users.export().stream());
    expect(reported).toEqual([error, again]);
  });

  const unexpectedResponses = {
    "a JSON array": json([ada]),
    "a page of HTML": { headers: { "content-type": "text/html" }, body: "<h1>Hello</h1>" },
    "an empty response": { status: 204 },
    "NDJSON without users": { headers: ndjson, body: `${line({ title: "no user" })}` },
    "text that is not JSON": { headers: ndjson, body: "id,name\n" },
    "text that is not UTF-8": { headers: ndjson, body: Uint8Array.of(0x22, 0xff, 0x22, 0x0a) },
    "a line without end": { headers: ndjson, body: " ".repeat(1_100_000) },
  };
  for (const [what, response] of Object.entries(unexpectedResponses)) {
    test(`of ${what} throws an ApiError`, async () => {
      const { url } = await startServer(response);
      const { error } = await iterate(quietClient(url).users.export());
      expect(error).toBeInstanceOf(ApiError);
      expect(String(error)).toMatch(/20[04]: the response is not .*\. Is this a Roster service\?$/);
    });
  }

  test("is sent only as fast as it is read", async () => {
    const parts = 200;
    let sent = 0;
    const text = line({ ...ada, about: "x".repeat(10_000) }).repeat(20);
    const url = await serveHttp((_request, response) => {
      response.writeHead(200, ndjson);
      const more = () => {
        while (sent < parts) {
          sent++;
          if (!response.write(text)) return;
        }
        response.end();
      };
      response.on("drain", more);
      more();
    });
    let read = 0;
    for await (const _user of quietClient(url).users.export()) {
      // The whole response has 40 MB. Sockets buffer some of them.
      if (read++ === 0) expect(await settled(() => sent, parts / 2)).toBeLessThan(parts / 2);
    }
    expect(read).toBe(parts * 20);
  }, 120_000);

  test("does not time out between reads", async () => {
    const time = stopClock();
    const { url } = await startServer({ headers: ndjson, body: line(ada).repeat(3) });
    let read = 0;
    for await (const _user of quietClient(url).users.export({ timeout: 5000 })) {
      read++;
      expect(time.timers()).toEqual([]);
      time.pass(86_400_000);
    }
    expect(read).toBe(3);
  });

  test("that is abandoned ends the request", async () => {
    const closed = Promise.withResolvers<void>();
    const url = await serveHttp((_request, response) => {
      response.writeHead(200, ndjson).write(line(ada));
      response.on("close", () => closed.resolve());
    });
    for await (const _user of quietClient(url).users.export()) break;
    await closed.promise;
  });

  test("throws a TimeoutError if the service stops sending", async () => {
    const time = stopClock();
    const closed = Promise.withResolvers<void>();
    const url = await serveHttp((_request, response) => {
      response.writeHead(200, ndjson).write(line(ada));
      response.on("close", () => closed.resolve());
    });
    const passTimeInNextRead = async () => {
      await nextTurn();
      time.pass(999);
      expect(time.timers()).toEqual([1]);
      time.pass(1);
    };
    const { items, error } = await iterate(
      quietClient(url).users.export({ timeout: 1000 }),
      () => void passTimeInNextRead(),
    );
    expect(items).toEqual([ada]);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(String(error)).toBe("TimeoutError: GET /api/users/export: received nothing for 1000 ms");
    await closed.promise;
  });

  test("throws a TimeoutError if the service never responds", async () => {
    const time = stopClock();
    const { url, seen } = await startServer("silence");
    const work = iterate(quietClient(url).users.export({ timeout: 50 }));
    await until(() => seen.length === 1);
    time.pass(50);
    expect(String((await work).error)).toBe("TimeoutError: GET /api/users/export: no response within 50 ms");
  });

  test("may take any time while data arrives", async () => {
    const time = stopClock();
    const parts = 10;
    let sent = 0;
    const sendLater = (response: ServerResponse) => {
      expect(time.timers()).toEqual([2000]);
      time.pass(1900);
      if (sent++ === parts) response.end();
      else response.write(line(ada));
    };
    const requested = Promise.withResolvers<ServerResponse>();
    const url = await serveHttp((_request, response) => {
      response.writeHead(200, ndjson);
      requested.resolve(response);
      sendLater(response);
    });
    let count = 0;
    for await (const _user of quietClient(url, { timeout: 2000, tryTimeout: 20 }).users.export()) {
      count++;
      const response = await requested.promise;
      // While the client waits for the next part.
      setImmediate(() => sendLater(response));
    }
    expect(count).toBe(parts);
  });

  test("throws the reason of an aborted signal at any time", async () => {
    const url = await serveHttp((_request, response) => response.writeHead(200, ndjson).write(line(ada)));
    const { users } = quietClient(url);
    const before = await iterate(users.export({ signal: AbortSignal.abort("enough") }));
    expect(before).toEqual({ items: [], error: "enough" });
    const controller = new AbortController();
    const abortInNextRead = () => void setImmediate(() => controller.abort("enough"));
    expect(await iterate(users.export(controller), abortInNextRead)).toEqual({
      items: [ada],
      error: "enough",
    });
    // Also with a fetch that ignores signals.
    const ignoresSignals = () => new Response(new ReadableStream({ pull: never }), { headers: ndjson });
    const late = { signal: AbortSignal.timeout(10) };
    const { error } = await iterate(
      quietClient("http://localhost", { fetch: ignoresSignals }).users.export(late),
    );
    expect(error).toMatchObject({ name: "TimeoutError" });
  });

  test("leaves no listeners on a signal", async () => {
    const { url } = await startServer({ headers: ndjson, body: line(ada) });
    const { signal, listeners } = createCountingSignal();
    const { users } = quietClient(url);
    for await (const _user of users.export({ signal }));
    for await (const _user of users.export({ signal })) break;
    await new Response(await users.export({ signal }).stream()).text();
    await (await users.export({ signal }).stream()).cancel();
    await failure(users.export({ signal }).stream("csv"));
    expect(listeners()).toBe(0);
  });
});

describe("the bytes of an export", () => {
  test("throw a NetworkError if they are cut off", async () => {
    const server = await serveBegin(line(ada));
    const reported: unknown[] = [];
    const { users } = quietClient(server.url, { onError: (error) => reported.push(error) });
    const reader = (await users.export().stream()).getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe(line(ada));
    server.cutOff();
    const error = await failureOf(NetworkError, reader.read());
    expect(reported).toEqual([error]);
  });

  test("can be cancelled during a read without an error", async () => {
    const closed = Promise.withResolvers<void>();
    const url = await serveHttp((_request, response) => {
      response.writeHead(200, ndjson).write(line(ada));
      response.on("close", () => closed.resolve());
    });
    const reported: unknown[] = [];
    const { users } = quietClient(url, { onError: (error) => reported.push(error) });
    const reader = (await users.export().stream()).getReader();
    await reader.read();
    const waiting = reader.read();
    await reader.cancel();
    expect((await waiting).done).toBe(true);
    await closed.promise;
    await nextTurn();
    expect(reported).toEqual([]);
  });

  test("must have the requested media type", async () => {
    const { url } = await startServer({ headers: ndjson, body: line(ada) });
    const error = await failureOf(ApiError, quietClient(url).users.export().stream("csv"));
    expect(error.message).toEndWith("the response is not text/csv. Is this a Roster service?");
  });
});
