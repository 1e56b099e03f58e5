import { afterEach, describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { createGzip, gzipSync } from "node:zlib";
import { ApiError, NetworkError, RequestError, TimeoutError } from "../../src/client/index.ts";
import { until } from "../support/until.ts";
import { restoreClock, skipDelays, stopClock } from "./support/clock.ts";
import { failureOf, quietClient, serveTcp, startServer, stopServers, unusedUrl } from "./support/servers.ts";

afterEach(restoreClock);
afterEach(stopServers);

const noRetries = { retries: 0 };
const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

/** The error of a list if a server sends these bytes. */
async function errorFrom<T extends RequestError>(
  kind: abstract new (...args: never[]) => T,
  speak: (socket: Socket) => void,
  options = {},
): Promise<T> {
  const url = await serveTcp(speak);
  return await failureOf(
    kind,
    quietClient(url, { ...noRetries, ...options })
      .users.list()
      .page(),
  );
}

describe("a NetworkError", () => {
  test("is thrown with its cause if nothing listens", async () => {
    const url = await unusedUrl();
    const error = await failureOf(NetworkError, quietClient(url, noRetries).users.get(7));
    expect(error).toMatchObject({ name: "NetworkError", method: "GET", tries: 1 });
    expect(error.message).toStartWith(`GET /api/users/7: no response from ${url}: `);
    expect(error.cause).toBeInstanceOf(Error);
    expect(error).toBeInstanceOf(RequestError);
  });

  test("is thrown if the connection closes without a response", async () => {
    const error = await errorFrom(NetworkError, (socket) => socket.end());
    expect(error.message).toContain("no response from");
    expect(error.cause).toBeInstanceOf(Error);
  });

  const noResponses = {
    "the headers are cut off": "HTTP/1.1 200 OK\r\nContent-Ty",
    "the server does not speak HTTP": "SSH-2.0-OpenSSH_9.6\r\n\r\n",
  };
  for (const [when, text] of Object.entries(noResponses)) {
    test(`is thrown if ${when}`, async () => {
      const error = await errorFrom(NetworkError, (socket) => socket.end(text));
      expect(error.message).toStartWith("GET /api/users: no response from ");
      expect(error.cause).toBeInstanceOf(Error);
    });
  }

  const brokenBodies = {
    "the body is shorter than its Content-Length": `${head}Content-Length: 100\r\n\r\n[]`,
    "a chunked body has no end": `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n`,
    "a chunk is cut off": `${head}Transfer-Encoding: chunked\r\n\r\n64\r\n[]`,
    "the body of a problem is cut off": "HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\n{",
  };
  for (const [when, text] of Object.entries(brokenBodies)) {
    test(`is thrown if ${when}`, async () => {
      const connected = Promise.withResolvers<Socket>();
      const fetchAndBreak = async (request: Request) => {
        const response = await fetch(request);
        (await connected.promise).destroy();
        return response;
      };
      const speak = (socket: Socket) => {
        connected.resolve(socket);
        socket.write(text);
      };
      const error = await errorFrom(NetworkError, speak, { fetch: fetchAndBreak });
      expect(error.message).toStartWith("GET /api/users: the response was cut off: ");
      expect(error.cause).toBeInstanceOf(Error);
    });
  }

  test("is thrown if a compressed body is damaged", async () => {
    const body = gzipSync("[]").fill(0xff, 10);
    const { url } = await startServer({ headers: { "content-encoding": "gzip" }, body });
    await failureOf(NetworkError, quietClient(url, noRetries).users.list().page());
  });
});

describe("a TimeoutError", () => {
  test("is thrown if no response arrives in time", async () => {
    const time = stopClock();
    const { url, seen } = await startServer("silence");
    const error = failureOf(TimeoutError, quietClient(url, { timeout: 50 }).users.get(7));
    await until(() => seen.length === 1);
    time.pass(49);
    expect(time.timers()).toEqual([1]);
    time.pass(1);
    expect((await error).message).toBe("GET /api/users/7: no response within 50 ms");
    expect((await error).name).toBe("TimeoutError");
  });

  test("is thrown by a call with a shorter timeout", async () => {
    const time = stopClock();
    const { url, seen } = await startServer("silence");
    const { users } = quietClient(url);
    const calls = [users.get(7, { timeout: 30 }), users.list({ timeout: 30 }).page()];
    const errors = calls.map((call) => failureOf(TimeoutError, call));
    await until(() => seen.length === 2);
    time.pass(30);
    for (const error of await Promise.all(errors)) expect(error.message).toEndWith("within 30 ms");
  });

  test("is thrown after tryTimeout, and counts the tries", async () => {
    const time = stopClock();
    skipDelays();
    const { url, seen } = await startServer("silence");
    const users = quietClient(url, { tryTimeout: 500, retries: 1 }).users;
    const thrown = failureOf(TimeoutError, users.get(7));
    for (const tries of [1, 2]) {
      await until(() => seen.length === tries);
      expect(time.timers()).toEqual([500]);
      time.pass(500);
    }
    const error = await thrown;
    expect(error.message).toBe("GET /api/users/7: no response within 500 ms (tried 2 times)");
    expect(error.tries).toBe(2);
    expect(seen).toHaveLength(2);
  });

  test("is thrown if the body never ends", async () => {
    const time = stopClock();
    let parts = 0;
    const body = new ReadableStream<Uint8Array>({
      // Every 20 ms, a byte arrives.
      pull(controller) {
        time.pass(20);
        if (parts++ === 10) return new Promise(() => undefined);
        controller.enqueue(new TextEncoder().encode(" "));
      },
    });
    const { users } = quietClient("http://localhost", { fetch: () => new Response(body), timeout: 80 });
    const error = await failureOf(TimeoutError, users.list().page());
    expect(error.message).toBe("GET /api/users: no response within 80 ms");
  });

  test("closes the connection", async () => {
    const time = stopClock();
    const closed = Promise.withResolvers<void>();
    const speak = (socket: Socket) => {
      socket.on("close", () => closed.resolve());
      time.pass(30);
    };
    await errorFrom(TimeoutError, speak, { timeout: 30 });
    await closed.promise;
  });

  test("is thrown even if fetch ignores signals", async () => {
    const time = stopClock();
    const fetch = () => {
      time.pass(30);
      return new Promise<Response>(() => undefined);
    };
    const users = quietClient("http://localhost", { fetch, timeout: 30 }).users;
    await failureOf(TimeoutError, users.get(7));
  });

  test("is not thrown with Infinity or with undefined options", async () => {
    const { url } = await startServer({ status: 204 });
    await quietClient(url, {
      timeout: Number.POSITIVE_INFINITY,
      tryTimeout: Number.POSITIVE_INFINITY,
    }).users.delete(7);
    const options: Record<string, undefined> = {
      timeout: undefined,
      tryTimeout: undefined,
      retries: undefined,
    };
    await quietClient(url, Object.assign({}, options)).users.delete(7);
  });
});

describe("a response without end", () => {
  /** Sends data without end. */
  const pour = (out: Writable, piece: string) => {
    const more = () => {
      while (out.writable && out.write(piece));
    };
    out.on("drain", more);
    more();
  };
  const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;

  test("is aborted after 64 MiB", async () => {
    const before = process.memoryUsage.rss();
    const error = await errorFrom(ApiError, (socket) => {
      socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
      pour(socket, chunk);
    });
    expect(error.message).toBe("GET /api/users: 200: the response is larger than 67108864 bytes");
    expect(process.memoryUsage.rss() - before).toBeLessThan(512 * 1024 * 1024);
  }, 120_000);

  test("is aborted after 64 MiB of decompressed data", async () => {
    const error = await errorFrom(ApiError, (socket) => {
      socket.write(`${head}Content-Encoding: gzip\r\nConnection: close\r\n\r\n`);
      const gzip = createGzip();
      gzip.pipe(socket);
      pour(gzip, " ".repeat(0x10000));
    });
    expect(error.message).toBe("GET /api/users: 200: the response is larger than 67108864 bytes");
  }, 120_000);
});
