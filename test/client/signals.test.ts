import { afterEach, describe, expect, test } from "bun:test";
import { ApiError, requestJson } from "../../src/client/index.ts";
import {
  ada,
  answering,
  failure,
  failureOf,
  json,
  nobody,
  problem,
  quietClient,
  speaking,
  stopServers,
} from "./servers.ts";

afterEach(stopServers);

describe("a call whose signal is aborted throws the signal's reason", () => {
  test("before it was sent, and sends nothing", async () => {
    const { url, seen } = await answering(json(ada));
    const reason = { said: "enough" };
    expect(await failure(quietClient(url).users.get(7, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(seen).toEqual([]);
  });

  test("while the answer is waited for, and closes the connection", async () => {
    const closed = Promise.withResolvers<void>();
    const stopper = new AbortController();
    const url = await speaking((socket) => {
      socket.on("close", () => closed.resolve());
      stopper.abort("enough");
    });
    expect(await failure(quietClient(url).users.get(7, stopper))).toBe("enough");
    await closed.promise;
  });

  test("while the body is being read", async () => {
    const stopper = new AbortController();
    const url = await speaking((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[");
      setTimeout(() => stopper.abort("enough"), 30);
    });
    const start = performance.now();
    expect(await failure(quietClient(url).users.list(stopper).page())).toBe("enough");
    expect(performance.now() - start).toBeWithin(25, 20_000);
  });

  test("in the pause before the next try, and makes no other", async () => {
    const { url, seen } = await answering(problem("unavailable", { "retry-after": "25" }));
    const stopper = new AbortController();
    const users = quietClient(url, { onRetry: () => setTimeout(() => stopper.abort("enough"), 10) }).users;
    const start = performance.now();
    expect(await failure(users.get(7, stopper))).toBe("enough");
    expect(performance.now() - start).toBeLessThan(20_000);
    expect(seen).toHaveLength(1);
  });

  test("by onRetry itself, without the pause", async () => {
    const { url } = await answering(problem("unavailable", { "retry-after": "25" }));
    const stopper = new AbortController();
    const users = quietClient(url, { onRetry: () => stopper.abort("enough") }).users;
    const start = performance.now();
    expect(await failure(users.get(7, stopper))).toBe("enough");
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  test("though the fetch that was given does not listen to signals", async () => {
    const stopper = new AbortController();
    const fetch = () => {
      stopper.abort("enough");
      return new Promise<Response>(() => undefined);
    };
    expect(await failure(quietClient("http://localhost", { fetch }).users.get(7, stopper))).toBe("enough");
  });

  test("which is an AbortError or a TimeoutError of the platform if nobody gave another", async () => {
    const { url } = await answering("silence");
    const stopper = new AbortController();
    setTimeout(() => stopper.abort(), 10);
    expect(await failure(quietClient(url).users.get(7, stopper))).toMatchObject({ name: "AbortError" });
    const late = await failure(quietClient(url).users.get(7, { signal: AbortSignal.timeout(10) }));
    expect(late).toMatchObject({ name: "TimeoutError" });
    expect(late).toBeInstanceOf(DOMException);
  });

  test("between two pages of a list", async () => {
    const next = '</api/users?after=x>; rel="next"';
    const { url, seen } = await answering(json([ada], 200, { link: next }));
    const stopper = new AbortController();
    const walk = async () => {
      for await (const _user of quietClient(url).users.list(stopper)) stopper.abort("enough");
    };
    expect(await failure(walk())).toBe("enough");
    expect(seen).toHaveLength(1);
  });

  test("between the reading and the writing of modify", async () => {
    const { url, seen } = await answering(json(ada));
    const stopper = new AbortController();
    const change = () => {
      stopper.abort("enough");
      return { name: "Ada King" };
    };
    expect(await failure(quietClient(url).users.modify(7, change, { signal: stopper.signal }))).toBe(
      "enough",
    );
    expect(seen.map(({ method }) => method)).toEqual(["GET"]);
  });
});

test("a signal that outlives many calls is left with no listeners", async () => {
  const { url } = await answering(problem("unavailable", { "retry-after": "0" }), json(ada));
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
  for (let call = 0; call < 5; call++) await quietClient(url).users.get(7, { signal });
  expect(listeners).toBe(0);
});

describe("onError", () => {
  /** A client and what its onError was told. */
  function watched(url: string, options = {}) {
    const told: unknown[] = [];
    const users = quietClient(url, { onError: (error) => told.push(error), ...options }).users;
    return { told, users };
  }

  test("is told once of each error that is thrown, whatever kind it is", async () => {
    const { url } = await answering(problem("user-not-found"));
    const { told, users } = watched(url);
    const away = watched(await nobody(), { retries: 1 });
    const silent = watched((await answering("silence")).url, { timeout: 20 });
    const misfit = watched((await answering(json({}))).url);
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
      await failure(requestJson(`${url}/x`, { onError: (error) => told.push(error) })),
    ];
    expect(told).toEqual(thrown);
    expect(told.map((error, at) => error === thrown[at])).not.toContain(false);
    expect([await failure(away.users.get(7))]).toEqual(away.told);
    expect([await failure(silent.users.get(7))]).toEqual(silent.told);
    expect([await failure(misfit.users.get(7))]).toEqual(misfit.told);
  });

  test("is told when all() gives up", async () => {
    const { told, users } = watched((await answering(json([ada, ada]))).url);
    const thrown = await failureOf(RangeError, users.list().all({ max: 1 }));
    expect(told).toEqual([thrown]);
  });

  test("is told of nothing that the client got over by itself", async () => {
    const retried = watched((await answering("drop", json(ada))).url);
    await retried.users.get(7);
    expect(retried.told).toEqual([]);
    const deleted = watched((await answering("drop", problem("user-not-found"))).url);
    await deleted.users.delete(7);
    expect(deleted.told).toEqual([]);
    const overtaken = watched((await answering(json(ada), problem("version-mismatch"), json(ada))).url);
    await overtaken.users.modify(7, ({ name }) => ({ name }));
    expect(overtaken.told).toEqual([]);
  });

  test("is told once when modify gives up", async () => {
    const { url } = await answering(
      json(ada),
      problem("version-mismatch"),
      json(ada),
      problem("version-mismatch"),
    );
    const { told, users } = watched(url);
    const thrown = await failureOf(
      ApiError,
      users.modify(7, ({ name }) => ({ name }), { attempts: 2 }),
    );
    expect(thrown.type).toBe("version-mismatch");
    expect(told).toEqual([thrown]);
  });
});
