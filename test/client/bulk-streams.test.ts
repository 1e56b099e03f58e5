import { afterEach, describe, expect, test } from "bun:test";
import type { ServerResponse } from "node:http";
import { ApiError, NetworkError, TimeoutError } from "../../src/client/index.ts";
import { until } from "../support/until.ts";
import {
  ada,
  failure,
  failureOf,
  json,
  problem,
  quietClient,
  serving,
  speaking,
  startServer,
  stopServers,
} from "./support/servers.ts";

afterEach(stopServers);

const once = { retries: 0 };
const ndjson = { "content-type": "application/x-ndjson; charset=utf-8" };
const line = (value: unknown) => `${JSON.stringify(value)}\n`;
const created = (at: number) => line({ line: at, status: 201, id: at });
const nobodyYet = () => new Promise<never>(() => undefined);

/** Iterates, and returns the items and the error. */
async function walk<T>(
  items: AsyncIterable<T>,
  onItem: () => void = () => undefined,
): Promise<{ came: T[]; error: unknown }> {
  const came: T[] = [];
  const error = await failure(
    (async () => {
      for await (const item of items) {
        came.push(item);
        onItem();
      }
    })(),
  );
  return { came, error };
}

/** A chunked response that is cut off after these parts, when the client has had time to read them. */
const breaking =
  (...parts: string[]) =>
  (_request: unknown, response: ServerResponse) => {
    response.writeHead(200, ndjson);
    for (const part of parts) response.write(part);
    setTimeout(() => response.destroy(), 500);
  };

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
      "/api/users?team=a&team=b%26c&q=x&sort=-name",
      "/api/users",
    ]);
    expect(seen.map(({ headers }) => [headers.accept, headers.authorization])).toEqual([
      ["application/x-ndjson", "Bearer rk_secret"],
      ["text/csv", "Bearer rk_secret"],
    ]);
  });

  test("that is cut off yields what arrived, throws a NetworkError, and is not repeated", async () => {
    let requests = 0;
    const url = await serving((request, response) => {
      requests++;
      breaking(line(ada), line({ ...ada, id: 8 }))(request, response);
    });
    const { came, error } = await walk(quietClient(url).users.export());
    expect(came.map(({ id }) => id)).toEqual([7, 8]);
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({
      tries: 1,
      message: expect.stringMatching(/^GET \/api\/users: the response was cut off: ./),
    });
    expect(requests).toBe(1);
  });

  const endings = {
    "in the middle of a line": `${line(ada)}{"id":8,"na`,
    "in the middle of a character": Buffer.from(`${line(ada)}{"name":"é`).subarray(0, -1),
    "before the newline of the last line": `${line(ada)}${JSON.stringify(ada)}`,
  };
  for (const [where, body] of Object.entries(endings)) {
    test(`that ends ${where} throws a NetworkError, even on a good connection`, async () => {
      const { url } = await startServer({ headers: ndjson, body });
      const { came, error } = await walk(quietClient(url).users.export());
      expect(came).toEqual([ada]);
      expect(error).toBeInstanceOf(NetworkError);
      expect(String(error)).toEndWith("the response was cut off: the last line is incomplete");
    });
  }

  test("is retried until it starts", async () => {
    const busy = problem("unavailable", { "retry-after": "0" });
    const { url, seen } = await startServer("drop", busy, { headers: ndjson, body: line(ada) });
    const { users } = quietClient(url);
    const came: unknown[] = [];
    for await (const user of users.export()) came.push(user);
    expect(came).toEqual([ada]);
    expect(seen).toHaveLength(3);
  });

  test("with an error response throws an ApiError, and calls onError once", async () => {
    const { url } = await startServer(problem("insufficient-scope"));
    const reported: unknown[] = [];
    const { users } = quietClient(url, { onError: (error) => reported.push(error) });
    const { came, error } = await walk(users.export());
    expect(came).toEqual([]);
    expect(error).toMatchObject({ name: "ApiError", status: 403, type: "insufficient-scope" });
    const again = await failureOf(ApiError, users.export().stream());
    expect(reported).toEqual([error, again]);
  });

  const strangers = {
    "a JSON array": json([ada]),
    "a page": { headers: { "content-type": "text/html" }, body: "<h1>Hello</h1>" },
    nothing: { status: 204 },
    "something else one a line": { headers: ndjson, body: `${line({ title: "no user" })}` },
    "no JSON": { headers: ndjson, body: "id,name\n" },
    "no UTF-8": { headers: ndjson, body: Uint8Array.of(0x22, 0xff, 0x22, 0x0a) },
    "a line without end": { headers: ndjson, body: " ".repeat(1_100_000) },
  };
  for (const [what, answer] of Object.entries(strangers)) {
    test(`with the response ${what} throws an ApiError`, async () => {
      const { url } = await startServer(answer);
      const { error } = await walk(quietClient(url).users.export());
      expect(error).toBeInstanceOf(ApiError);
      expect(String(error)).toMatch(/20[04]: the response is not .*\. Is this a Roster service\?$/);
    });
  }

  test("is sent only as fast as it is read, and does not time out between reads", async () => {
    let sent = 0;
    const text = line({ ...ada, about: "x".repeat(10_000) }).repeat(20);
    const url = await serving((_request, response) => {
      response.writeHead(200, ndjson);
      const more = () => {
        do sent++;
        while (sent < 1000 && response.write(text));
        if (sent >= 1000) response.end();
      };
      response.on("drain", more);
      more();
    });
    const slow = quietClient(url).users.export({ timeout: 5000 });
    let read = 0;
    for await (const _user of slow) {
      if (read++ === 0) {
        await Bun.sleep(300);
        // The whole response would have 200 MB.
        expect(sent).toBeLessThan(500);
      }
    }
    expect(read).toBe(sent * 20 - 20);
  }, 120_000);

  test("that is abandoned ends the request", async () => {
    const closed = Promise.withResolvers<void>();
    const url = await serving((_request, response) => {
      response.writeHead(200, ndjson).write(line(ada));
      response.on("close", () => closed.resolve());
    });
    for await (const _user of quietClient(url).users.export()) break;
    await closed.promise;
  });

  test("throws a TimeoutError if the service stops sending", async () => {
    const closed = Promise.withResolvers<void>();
    const url = await serving((_request, response) => {
      response.writeHead(200, ndjson).write(line(ada));
      response.on("close", () => closed.resolve());
    });
    const { came, error } = await walk(quietClient(url).users.export({ timeout: 1000 }));
    expect(came).toEqual([ada]);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(String(error)).toBe("TimeoutError: GET /api/users: received nothing for 1000 ms");
    await closed.promise;
    const silent = await startServer("silence");
    const never = await walk(quietClient(silent.url).users.export({ timeout: 50 }));
    expect(String(never.error)).toBe("TimeoutError: GET /api/users: no response within 50 ms");
  });

  test("may take any time while data arrives", async () => {
    const url = await serving(async (_request, response) => {
      response.writeHead(200, ndjson);
      for (let n = 0; n < 10; n++) {
        await Bun.sleep(250);
        response.write(line(ada));
      }
      response.end();
    });
    let came = 0;
    for await (const _user of quietClient(url, { timeout: 2000, tryTimeout: 20 }).users.export()) came++;
    expect(came).toBe(10);
  });

  test("throws the reason of an aborted signal at any time", async () => {
    const url = await serving((_request, response) => response.writeHead(200, ndjson).write(line(ada)));
    const { users } = quietClient(url);
    const before = await walk(users.export({ signal: AbortSignal.abort("enough") }));
    expect(before).toEqual({ came: [], error: "enough" });
    const stopper = new AbortController();
    const abortSoon = () => setTimeout(() => stopper.abort("enough"), 50);
    expect(await walk(users.export(stopper), abortSoon)).toEqual({ came: [ada], error: "enough" });
    // Also with a fetch that ignores signals.
    const deaf = () => new Response(new ReadableStream({ pull: nobodyYet }), { headers: ndjson });
    const late = { signal: AbortSignal.timeout(50) };
    const { error } = await walk(quietClient("http://localhost", { fetch: deaf }).users.export(late));
    expect(error).toMatchObject({ name: "TimeoutError" });
  });

  test("leaves no listeners on a signal", async () => {
    const { url } = await startServer({ headers: ndjson, body: line(ada) });
    const { signal } = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners++;
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners--;
      removeEventListener.apply(signal, args);
    };
    const { users } = quietClient(url);
    for await (const _user of users.export({ signal }));
    for await (const _user of users.export({ signal })) break;
    await new Response(await users.export({ signal }).stream()).text();
    await (await users.export({ signal }).stream()).cancel();
    await failure(users.export({ signal }).stream("csv"));
    expect(listeners).toBe(0);
  });
});

describe("the bytes of an export", () => {
  test("throw a NetworkError if they are cut off", async () => {
    const url = await serving(breaking(line(ada)));
    const reported: unknown[] = [];
    const { users } = quietClient(url, { onError: (error) => reported.push(error) });
    const reader = (await users.export().stream()).getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe(line(ada));
    const error = await failureOf(NetworkError, reader.read());
    expect(reported).toEqual([error]);
  });

  test("can be cancelled during a read without an error", async () => {
    const closed = Promise.withResolvers<void>();
    const url = await serving((_request, response) => {
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
    await Bun.sleep(10);
    expect(reported).toEqual([]);
  });

  test("must have the requested media type", async () => {
    const { url } = await startServer({ headers: ndjson, body: line(ada) });
    const error = await failureOf(ApiError, quietClient(url).users.export().stream("csv"));
    expect(error.message).toEndWith("the response is not text/csv. Is this a Roster service?");
  });
});

describe("an import", () => {
  async function* endless(state = { taken: 0, over: false }) {
    try {
      for (;;) {
        state.taken++;
        yield { name: `User ${state.taken}`, about: "x".repeat(1000) };
        if (state.taken % 50 === 0) await Bun.sleep(0);
      }
    } finally {
      state.over = true;
    }
  }

  test("sends its media type, and a random or given idempotency key", async () => {
    const { url, seen } = await startServer({ headers: ndjson, body: created(1) });
    const { users } = quietClient(url, { apiKey: "rk_secret" });
    const first = users.import([{ name: "Ada" }]);
    await first.summary();
    const second = users.import([{ name: "Ada" }]);
    await second.summary();
    await users.import("name\nAda\n", { format: "csv", idempotencyKey: "mine" }).summary();
    expect(first.idempotencyKey).not.toBe(second.idempotencyKey);
    expect(
      seen.map(({ method, target, headers, body }) => [
        method,
        target,
        headers["content-type"],
        headers.accept,
        headers["idempotency-key"],
        headers.authorization,
        body,
      ]),
    ).toEqual([
      ...[first, second].map(({ idempotencyKey }) => [
        "POST",
        "/api/users",
        "application/x-ndjson",
        "application/x-ndjson",
        idempotencyKey,
        "Bearer rk_secret",
        '{"name":"Ada"}\n',
      ]),
      ["POST", "/api/users", "text/csv", "application/x-ndjson", "mine", "Bearer rk_secret", "name\nAda\n"],
    ]);
  });

  test("yields results while it still sends lines", async () => {
    const url = await serving((request, response) => {
      response.writeHead(200, ndjson);
      let at = 0;
      request.on("data", (part: Buffer) => {
        for (const byte of part) if (byte === 0x0a) response.write(created(++at));
      });
      request.on("end", () => response.end());
    });
    const heard: number[] = [];
    let wake = () => {};
    async function* asking() {
      for (let n = 1; n <= 5; n++) {
        // Send each line separately: lines available at once are sent together.
        await Bun.sleep(120);
        yield { name: `User ${n}` };
        const next = new Promise<void>((resolve) => {
          wake = resolve;
        });
        if (heard.length < n) await next;
        expect(heard.at(-1)).toBe(n);
      }
    }
    for await (const outcome of quietClient(url).users.import(asking())) {
      heard.push(outcome.line);
      wake();
    }
    expect(heard).toEqual([1, 2, 3, 4, 5]);
  }, 120_000);

  test("that is cut off throws a NetworkError with the last line that has a result", async () => {
    const state = { taken: 0, over: false };
    const url = await serving((request, response) => {
      request.resume();
      breaking(created(1) + created(2))(request, response);
    });
    const { came, error } = await walk(quietClient(url).users.import(endless(state)));
    expect(came.map(({ id }) => id)).toEqual([1, 2]);
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({ lastLine: 2, tries: 1 });
    expect(String(error)).toMatch(
      /^NetworkError: POST \/api\/users: the response was cut off, after the result of line 2: ./,
    );
    await until(() => state.over);
    const { taken } = state;
    await Bun.sleep(50);
    expect(state.taken).toBe(taken);
  });

  test("without a response has no last line", async () => {
    const url = await serving((request) => request.socket.destroy());
    const error = await failureOf(NetworkError, quietClient(url).users.import(endless()).summary());
    expect(error.lastLine).toBeUndefined();
  });

  test("throws a NetworkError if the response ends before the source", async () => {
    const { url } = await startServer({ headers: ndjson, body: created(1) });
    const two = [{ name: "Ada" }, { name: "Bob" }];
    const short = await failureOf(NetworkError, quietClient(url).users.import(two).summary());
    expect(short).toMatchObject({ lastLine: 1 });
    expect(short.message).toEndWith("after the result of line 1: the response ended before the source");
    const early = await serving((_request, response) => response.writeHead(200, ndjson).end(created(1)));
    await failureOf(NetworkError, quietClient(early).users.import(endless()).summary());
  });

  test("that the service ends early throws the problem of the last line", async () => {
    const { body } = problem("idempotency-mismatch");
    const failedLine = line({ line: 2, status: 422, problem: JSON.parse(String(body)) });
    const url = await serving((_request, response) =>
      response.writeHead(200, ndjson).end(created(1) + failedLine),
    );
    const { came, error } = await walk(quietClient(url).users.import(endless()));
    expect(came.map(({ status }) => status)).toEqual([201, 422]);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ type: "idempotency-mismatch", status: 422, lastLine: 2 });
  });

  test("of data in memory is retried with the same key; a stream is sent once", async () => {
    const steps = [
      "drop",
      problem("rate-limited", { "retry-after": "0" }),
      problem("idempotency-in-flight"),
      { headers: ndjson, body: created(1) },
    ] as const;
    for (const make of [
      () => [{ name: "Ada" }],
      () => '{"name":"Ada"}',
      () => new Blob(['{"name":"Ada"}']),
    ]) {
      const { url, seen } = await startServer(...steps);
      expect(await quietClient(url).users.import(make()).summary()).toMatchObject({ created: 1 });
      expect(seen).toHaveLength(4);
      expect(new Set(seen.map(({ headers, body }) => headers["idempotency-key"] + body.trim())).size).toBe(1);
    }
    for (const step of steps.slice(0, 3)) {
      const { url, seen } = await startServer(step, { headers: ndjson, body: created(1) });
      function* one() {
        yield { name: "Ada" };
      }
      await failure(quietClient(url).users.import(one()).summary());
      expect(seen).toHaveLength(1);
    }
  }, 120_000);

  test("follows a redirect with data in memory, and throws for a stream", async () => {
    const target = await startServer({ headers: ndjson, body: created(1) });
    const { url } = await startServer({ status: 307, headers: { location: `${target.url}/there` } });
    expect(
      await quietClient(url)
        .users.import([{ name: "Ada" }])
        .summary(),
    ).toMatchObject({ created: 1 });
    expect(target.seen.map(({ target }) => target)).toEqual(["/there"]);
    const error = await failureOf(
      ApiError,
      quietClient(url)
        .users.import(new Set([{ name: "Ada" }]))
        .summary(),
    );
    expect(error.message).toEndWith(`the redirect to ${target.url}/there was not followed`);
  });

  test("reads its source only as fast as the service does", async () => {
    const state = { taken: 0, over: false };
    const started = Promise.withResolvers<ServerResponse>();
    const url = await serving((request, response) => {
      request.pause();
      response.writeHead(200, ndjson).write(created(1));
      started.resolve(response);
    });
    const error = failureOf(NetworkError, quietClient(url).users.import(endless(state)).summary());
    // Sockets buffer some megabytes, then the import waits.
    await until(async () => {
      const { taken } = state;
      await Bun.sleep(200);
      return taken > 0 && state.taken === taken;
    });
    (await started.promise).destroy();
    await error;
    expect(state.taken).toBeLessThan(50_000);
  }, 120_000);

  test("throws a TimeoutError with the last line if the service stops sending", async () => {
    const state = { taken: 0, over: false };
    const url = await serving((request, response) => {
      request.pause();
      response.writeHead(200, ndjson).write(created(1));
    });
    const error = await failureOf(
      TimeoutError,
      quietClient(url).users.import(endless(state), { timeout: 1500 }).summary(),
    );
    expect(error.message).toBe("POST /api/users: received nothing for 1500 ms, after the result of line 1");
    expect(error.lastLine).toBe(1);
    const silent = await serving((request) => request.pause());
    await failureOf(TimeoutError, quietClient(silent).users.import(endless(), { timeout: 200 }).summary());
    await failureOf(TimeoutError, quietClient(silent).users.import([], { timeout: 50 }).summary());
  }, 120_000);

  test("waits for its source for any time", async () => {
    const { url, seen } = await startServer({ headers: ndjson, body: created(1) + created(2) });
    async function* slow() {
      yield { name: "Ada" };
      await Bun.sleep(1200);
      yield { name: "Bob" };
    }
    const client = quietClient(url, { timeout: 1000, tryTimeout: 50 });
    expect(await client.users.import(slow()).summary()).toMatchObject({ created: 2 });
    expect(seen[0]?.body).toBe('{"name":"Ada"}\n{"name":"Bob"}\n');
  });

  test("throws the reason of an aborted signal, ends the request and closes the source", async () => {
    const closed = Promise.withResolvers<void>();
    const url = await serving((request, response) => {
      request.resume();
      response.writeHead(200, ndjson).write(created(1));
      response.on("close", () => closed.resolve());
    });
    const state = { taken: 0, over: false };
    const stopper = new AbortController();
    const abortSoon = () => setTimeout(() => stopper.abort("enough"), 50);
    const { came, error } = await walk(quietClient(url).users.import(endless(state), stopper), abortSoon);
    expect([came.length, error]).toEqual([1, "enough"]);
    await closed.promise;
    await until(() => state.over);
    const untouched = { taken: 0, over: false };
    const early = { signal: AbortSignal.abort("enough") };
    expect(await failure(quietClient(url).users.import(endless(untouched), early).summary())).toBe("enough");
    expect(untouched.taken).toBe(0);
  });

  test("cancels its source stream at the end", async () => {
    const url = await serving(breaking(created(1)));
    const cancelled = Promise.withResolvers<void>();
    const stream = new ReadableStream<Uint8Array>({
      pull: nobodyYet,
      cancel: () => cancelled.resolve(),
    });
    await failureOf(NetworkError, quietClient(url).users.import(stream).summary());
    await cancelled.promise;
    expect(await failure(quietClient(url).users.import(stream).summary())).toBeInstanceOf(Error);
  });

  test("with an unexpected response throws an ApiError", async () => {
    for (const answer of [
      json(ada, 201),
      { headers: ndjson, body: line(ada) },
      { headers: ndjson, body: line({ line: 1, status: 201 }) },
    ]) {
      const { url } = await startServer(answer);
      const error = await failureOf(
        ApiError,
        quietClient(url)
          .users.import([{ name: "Ada" }])
          .summary(),
      );
      expect(error.message).toEndWith("Is this a Roster service?");
    }
  });

  test("with an error response before the end of its source throws the problem", async () => {
    const requested = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    async function* table() {
      yield new TextEncoder().encode("name,name\n");
      requested.resolve();
      await goOn.promise;
    }
    // Some platforms cancel the rest of the request body when the response arrives.
    const fetch = async ({ body }: Request) => {
      const reader = body?.getReader();
      await reader?.read();
      const rest = reader?.read();
      await requested.promise;
      await reader?.cancel();
      goOn.resolve();
      await rest;
      await Bun.sleep(5);
      const { body: text, ...init } = problem("invalid-user");
      return new Response(String(text), init);
    };
    const { users } = quietClient("http://localhost", { fetch });
    const error = await failureOf(ApiError, users.import(table(), { format: "csv" }).summary());
    expect(error.type).toBe("invalid-user");
  });

  test("to a server without HTTP throws a NetworkError", async () => {
    const url = await speaking((socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n\r\n"));
    await failureOf(NetworkError, quietClient(url, once).users.import(endless()).summary());
  });
});
