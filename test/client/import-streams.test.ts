import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { ServerResponse } from "node:http";
import { ApiError, NetworkError, TimeoutError, type UserInput } from "../../src/client/index.ts";
import { MAX_TIMER_MS } from "../../src/client/transport/timer.ts";
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
  serveTcp,
  startServer,
  stopServers,
} from "./support/servers.ts";
import { iterate, line, ndjson, never, nextTurn, serveBegin, settled } from "./support/streams.ts";

afterEach(restoreClock);
afterEach(stopServers);

const noRetries = { retries: 0 };
const created = (at: number) => line({ line: at, status: 201, id: at });

describe("an import", () => {
  /** Yields users until it is closed. Not a generator: a generator that has not started does not notice that it is closed. */
  function endless(state = { taken: 0, closed: false }): AsyncIterableIterator<UserInput> {
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      async next() {
        if (state.closed) return { done: true, value: undefined };
        state.taken++;
        if (state.taken % 50 === 0) await nextTurn();
        return { done: false, value: { name: `User ${state.taken}`, about: "x".repeat(1000) } };
      },
      async return() {
        state.closed = true;
        return { done: true, value: undefined };
      },
    };
  }

  test("sends its media type, and the idempotency key of its options or a random one", async () => {
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
        "/api/users/import",
        "application/x-ndjson",
        "application/x-ndjson",
        idempotencyKey,
        "Bearer rk_secret",
        '{"name":"Ada"}\n',
      ]),
      [
        "POST",
        "/api/users/import",
        "text/csv",
        "application/x-ndjson",
        "mine",
        "Bearer rk_secret",
        "name\nAda\n",
      ],
    ]);
  });

  test("yields results while it still sends lines", async () => {
    const time = stopClock();
    const url = await serveHttp((request, response) => {
      response.writeHead(200, ndjson);
      let at = 0;
      request.on("data", (part: Buffer) => {
        for (const byte of part) if (byte === 0x0a) response.write(created(++at));
      });
      request.on("end", () => response.end());
    });
    const received: number[] = [];
    let wake = () => {};
    async function* source() {
      for (let n = 1; n <= 5; n++) {
        // The import sends each line separately: it sends lines together that arrive within 100 ms.
        time.pass(100);
        yield { name: `User ${n}` };
        const next = new Promise<void>((resolve) => {
          wake = resolve;
        });
        if (received.length < n) await next;
        expect(received.at(-1)).toBe(n);
      }
    }
    for await (const outcome of quietClient(url).users.import(source())) {
      received.push(outcome.line);
      wake();
    }
    expect(received).toEqual([1, 2, 3, 4, 5]);
  }, 120_000);

  test("that is cut off throws a NetworkError with the last line that has a result", async () => {
    const state = { taken: 0, closed: false };
    const server = await serveBegin(created(1) + created(2));
    const { items, error } = await iterate(
      quietClient(server.url).users.import(endless(state)),
      ({ line }) => {
        if (line === 2) server.cutOff();
      },
    );
    expect(items.map(({ id }) => id)).toEqual([1, 2]);
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({ lastLine: 2, tries: 1 });
    expect(String(error)).toMatch(
      /^NetworkError: POST \/api\/users\/import: the response was cut off, after the result of line 2: ./,
    );
    await until(() => state.closed);
  });

  test("without a response has no last line", async () => {
    const url = await serveHttp((request) => request.socket.destroy());
    const error = await failureOf(NetworkError, quietClient(url).users.import(endless()).summary());
    expect(error.lastLine).toBeUndefined();
  });

  test("throws a NetworkError if the response ends before the source", async () => {
    const { url } = await startServer({ headers: ndjson, body: created(1) });
    const two = [{ name: "Ada" }, { name: "Bob" }];
    const short = await failureOf(NetworkError, quietClient(url).users.import(two).summary());
    expect(short).toMatchObject({ lastLine: 1 });
    expect(short.message).toEndWith("after the result of line 1: the response ended before the source");
    const early = await serveHttp((_request, response) => response.writeHead(200, ndjson).end(created(1)));
    await failureOf(NetworkError, quietClient(early).users.import(endless()).summary());
  });

  test("that the service ends early throws the problem of the last line", async () => {
    const { body } = problem("idempotency-mismatch");
    const failedLine = line({ line: 2, status: 422, problem: JSON.parse(String(body)) });
    const url = await serveHttp((_request, response) =>
      response.writeHead(200, ndjson).end(created(1) + failedLine),
    );
    const { items, error } = await iterate(quietClient(url).users.import(endless()));
    expect(items.map(({ status }) => status)).toEqual([201, 422]);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ type: "idempotency-mismatch", status: 422, lastLine: 2 });
  });

  test("of data in memory is retried with the same key; a stream is sent once", async () => {
    skipDelays();
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
      function* source() {
        yield { name: "Ada" };
      }
      await failure(quietClient(url).users.import(source()).summary());
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
    const state = { taken: 0, closed: false };
    const started = Promise.withResolvers<ServerResponse>();
    const url = await serveHttp((request, response) => {
      request.pause();
      response.writeHead(200, ndjson).write(created(1));
      started.resolve(response);
    });
    const error = failureOf(NetworkError, quietClient(url).users.import(endless(state)).summary());
    const response = await started.promise;
    // Sockets buffer some megabytes, then the import waits.
    expect(await settled(() => state.taken, 50_000)).toBeLessThan(50_000);
    response.destroy();
    await error;
  }, 120_000);

  describe("throws a TimeoutError", () => {
    /** The TimeoutError of an import when time passes after the event. */
    const errorAfter = async (event: Promise<unknown>, work: Promise<unknown>, ms: number) => {
      let ended = false;
      const error = failureOf(TimeoutError, work).finally(() => {
        ended = true;
      });
      await event;
      // Time passes more than once: the timeout does not run while the import reads its source.
      await until(() => {
        time.pass(ms);
        return ended;
      });
      return await error;
    };
    let time: ReturnType<typeof stopClock>;
    beforeEach(() => {
      time = stopClock();
    });

    test("with the last line if the service stops sending", async () => {
      const url = await serveHttp((request, response) => {
        request.pause();
        response.writeHead(200, ndjson).write(created(1));
      });
      const received = Promise.withResolvers<void>();
      const work = iterate(quietClient(url).users.import(endless(), { timeout: 1500 }), () =>
        received.resolve(),
      );
      const error = await errorAfter(
        received.promise,
        work.then((ended) => Promise.reject(ended.error)),
        1500,
      );
      expect(error.message).toBe(
        "POST /api/users/import: received nothing for 1500 ms, after the result of line 1",
      );
      expect(error.lastLine).toBe(1);
    });

    test("if the service never responds", async () => {
      for (const [source, message] of [
        [endless(), "received nothing for 200 ms"],
        [[], "no response within 200 ms"],
      ] as const) {
        const requested = Promise.withResolvers<void>();
        const url = await serveHttp((request) => {
          request.pause();
          requested.resolve();
        });
        const work = quietClient(url).users.import(source, { timeout: 200 }).summary();
        const error = await errorAfter(requested.promise, work, 200);
        expect(error.message).toBe(`POST /api/users/import: ${message}`);
      }
    });
  });

  test("waits for its source for any time", async () => {
    const time = stopClock();
    const { url, seen } = await startServer({ headers: ndjson, body: created(1) + created(2) });
    async function* slow() {
      yield { name: "Ada" };
      // No other timeout runs.
      expect(time.timers()).toEqual([MAX_TIMER_MS]);
      time.pass(86_400_000);
      yield { name: "Bob" };
    }
    const client = quietClient(url, { timeout: 1000, tryTimeout: 50 });
    expect(await client.users.import(slow()).summary()).toMatchObject({ created: 2 });
    expect(seen[0]?.body).toBe('{"name":"Ada"}\n{"name":"Bob"}\n');
  });

  test("throws the reason of an aborted signal, ends the request and closes the source", async () => {
    const closed = Promise.withResolvers<void>();
    const url = await serveHttp((request, response) => {
      request.resume();
      response.writeHead(200, ndjson).write(created(1));
      response.on("close", () => closed.resolve());
    });
    const state = { taken: 0, closed: false };
    const controller = new AbortController();
    const abortInNextRead = () => void setImmediate(() => controller.abort("enough"));
    const { items, error } = await iterate(
      quietClient(url).users.import(endless(state), controller),
      abortInNextRead,
    );
    expect([items.length, error]).toEqual([1, "enough"]);
    await closed.promise;
    await until(() => state.closed);
    const untouched = { taken: 0, closed: false };
    const early = { signal: AbortSignal.abort("enough") };
    expect(await failure(quietClient(url).users.import(endless(untouched), early).summary())).toBe("enough");
    expect(untouched.taken).toBe(0);
  });

  test("cancels its source stream at the end", async () => {
    const server = await serveBegin(created(1));
    const cancelled = Promise.withResolvers<void>();
    const stream = new ReadableStream<Uint8Array>({
      pull: never,
      cancel: () => cancelled.resolve(),
    });
    const { users } = quietClient(server.url);
    const { error } = await iterate(users.import(stream), () => server.cutOff());
    expect(error).toBeInstanceOf(NetworkError);
    await cancelled.promise;
    expect(await failure(users.import(stream).summary())).toBeInstanceOf(Error);
  });

  test("with an unexpected response throws an ApiError", async () => {
    for (const response of [
      json(ada, 201),
      { headers: ndjson, body: line(ada) },
      { headers: ndjson, body: line({ line: 1, status: 201 }) },
    ]) {
      const { url } = await startServer(response);
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
    const cancelled = Promise.withResolvers<void>();
    async function* table() {
      yield new TextEncoder().encode("name,name\n");
      requested.resolve();
      await cancelled.promise;
    }
    // Some platforms cancel the rest of the request body when the response arrives.
    const fetch = async ({ body }: Request) => {
      const reader = body?.getReader();
      await reader?.read();
      const rest = reader?.read();
      await requested.promise;
      await reader?.cancel();
      cancelled.resolve();
      await rest;
      await nextTurn();
      const { body: text, ...init } = problem("invalid-user");
      return new Response(String(text), init);
    };
    const { users } = quietClient("http://localhost", { fetch });
    const error = await failureOf(ApiError, users.import(table(), { format: "csv" }).summary());
    expect(error.type).toBe("invalid-user");
  });

  test("to a server without HTTP throws a NetworkError", async () => {
    const url = await serveTcp((socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n\r\n"));
    await failureOf(NetworkError, quietClient(url, noRetries).users.import(endless()).summary());
  });
});
