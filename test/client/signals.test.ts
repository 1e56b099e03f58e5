import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ApiError, requestJson } from "../../src/client/index.ts";
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
  unusedUrl,
} from "./support/servers.ts";
import { createCountingSignal } from "./support/signals.ts";

afterEach(restoreClock);
afterEach(stopServers);

describe("a call whose signal is aborted throws the signal's reason", () => {
  test("before it was sent, and sends nothing", async () => {
    const { url, seen } = await startServer(json(ada));
    const reason = { message: "enough" };
    expect(await failure(quietClient(url).users.get(7, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(seen).toEqual([]);
  });

  test("while it waits for the response, and closes the connection", async () => {
    const closed = Promise.withResolvers<void>();
    const controller = new AbortController();
    const url = await serveTcp((socket) => {
      socket.on("close", () => closed.resolve());
      controller.abort("enough");
    });
    expect(await failure(quietClient(url).users.get(7, controller))).toBe("enough");
    await closed.promise;
  });

  test("while it reads the body", async () => {
    const controller = new AbortController();
    const url = await serveTcp((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[");
    });
    const fetchAndAbort = async (request: Request) => {
      const response = await fetch(request);
      setImmediate(() => controller.abort("enough"));
      return response;
    };
    const { users } = quietClient(url, { fetch: fetchAndAbort });
    expect(await failure(users.list(controller).page())).toBe("enough");
  });

  test("in the delay before a retry, without another try", async () => {
    const time = stopClock();
    const { url, seen } = await startServer(problem("unavailable", { "retry-after": "25" }));
    const controller = new AbortController();
    const delayed = Promise.withResolvers<void>();
    const { users } = quietClient(url, { onRetry: () => delayed.resolve() });
    const error = failure(users.get(7, controller));
    await delayed.promise;
    expect(time.timers()).toEqual([25_000]);
    controller.abort("enough");
    expect(await error).toBe("enough");
    expect(time.timers()).toEqual([]);
    expect(seen).toHaveLength(1);
  });

  test("by onRetry, without the delay", async () => {
    const time = stopClock();
    const { url, seen } = await startServer(problem("unavailable", { "retry-after": "25" }));
    const controller = new AbortController();
    const users = quietClient(url, { onRetry: () => controller.abort("enough") }).users;
    expect(await failure(users.get(7, controller))).toBe("enough");
    expect(time.timers()).toEqual([]);
    expect(seen).toHaveLength(1);
  });

  test("even if a custom fetch ignores signals", async () => {
    const controller = new AbortController();
    const fetch = () => {
      controller.abort("enough");
      return new Promise<Response>(() => undefined);
    };
    expect(await failure(quietClient("http://localhost", { fetch }).users.get(7, controller))).toBe("enough");
  });

  test("which is the platform's AbortError or TimeoutError by default", async () => {
    const controller = new AbortController();
    const url = await serveHttp(() => controller.abort());
    expect(await failure(quietClient(url).users.get(7, controller))).toMatchObject({ name: "AbortError" });
    const late = await failure(quietClient(url).users.get(7, { signal: AbortSignal.timeout(10) }));
    expect(late).toMatchObject({ name: "TimeoutError" });
    expect(late).toBeInstanceOf(DOMException);
  });

  test("between two pages of a list", async () => {
    const next = '</api/users?after=x>; rel="next"';
    const { url, seen } = await startServer(json([ada], 200, { link: next }));
    const controller = new AbortController();
    const walk = async () => {
      for await (const _user of quietClient(url).users.list(controller)) controller.abort("enough");
    };
    expect(await failure(walk())).toBe("enough");
    expect(seen).toHaveLength(1);
  });

  test("between the read and the write of modify", async () => {
    const { url, seen } = await startServer(json(ada));
    const controller = new AbortController();
    const change = () => {
      controller.abort("enough");
      return { name: "Ada King" };
    };
    expect(await failure(quietClient(url).users.modify(7, change, { signal: controller.signal }))).toBe(
      "enough",
    );
    expect(seen.map(({ method }) => method)).toEqual(["GET"]);
  });
});

test("calls leave no listeners on their signal", async () => {
  const { url } = await startServer(problem("unavailable", { "retry-after": "0" }), json(ada));
  const { signal, listeners } = createCountingSignal();
  for (let call = 0; call < 5; call++) await quietClient(url).users.get(7, { signal });
  expect(listeners()).toBe(0);
});

describe("onError", () => {
  beforeEach(() => void skipDelays());

  /** A client and the errors that its onError received. */
  function watched(url: string, options = {}) {
    const reported: unknown[] = [];
    const users = quietClient(url, { onError: (error) => reported.push(error), ...options }).users;
    return { reported, users };
  }

  test("is called once for each error of any kind", async () => {
    const { url } = await startServer(problem("user-not-found"));
    const { reported, users } = watched(url);
    const away = watched(await unusedUrl(), { retries: 1 });
    const silent = watched((await startServer("silence")).url, { timeout: 20 });
    const invalid = watched((await startServer(json({}))).url);
    const thrown = [
      await failure(users.get(7)),
      await failure(users.create({ name: "Ada" })),
      await failure(users.delete(7)),
      await failure(users.find({ email: "ada@example.com" })),
      await failure(users.list().all()),
      await failure(users.modify(7, () => undefined)),
      await failure(users.get("..")),
      await failure(users.list({ where: { sort: "x" } }).page()),
      await failure(users.get(7, { signal: AbortSignal.abort("enough") })),
      await failure(requestJson(`${url}/x`, { onError: (error) => reported.push(error) })),
    ];
    expect(reported).toEqual(thrown);
    expect(reported.map((error, at) => error === thrown[at])).not.toContain(false);
    expect([await failure(away.users.get(7))]).toEqual(away.reported);
    expect([await failure(silent.users.get(7))]).toEqual(silent.reported);
    expect([await failure(invalid.users.get(7))]).toEqual(invalid.reported);
  });

  test("is called if all() throws", async () => {
    const { reported, users } = watched((await startServer(json([ada, ada]))).url);
    const thrown = await failureOf(RangeError, users.list().all({ max: 1 }));
    expect(reported).toEqual([thrown]);
  });

  test("is not called for errors that a retry resolved", async () => {
    const retried = watched((await startServer("drop", json(ada))).url);
    await retried.users.get(7);
    expect(retried.reported).toEqual([]);
    const deleted = watched((await startServer("drop", problem("user-not-found"))).url);
    await deleted.users.delete(7);
    expect(deleted.reported).toEqual([]);
    const overtaken = watched((await startServer(json(ada), problem("version-mismatch"), json(ada))).url);
    await overtaken.users.modify(7, ({ name }) => ({ name }));
    expect(overtaken.reported).toEqual([]);
  });

  test("is called once if modify gives up", async () => {
    const { url } = await startServer(
      json(ada),
      problem("version-mismatch"),
      json(ada),
      problem("version-mismatch"),
    );
    const { reported, users } = watched(url);
    const thrown = await failureOf(
      ApiError,
      users.modify(7, ({ name }) => ({ name }), { attempts: 2 }),
    );
    expect(thrown.type).toBe("version-mismatch");
    expect(reported).toEqual([thrown]);
  });
});
