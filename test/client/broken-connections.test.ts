import { afterEach, describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { createGzip, gzipSync } from "node:zlib";
import { ApiError, NetworkError, RequestError, TimeoutError } from "../../src/client/index.ts";
import { answering, failureOf, nobody, quietClient, speaking, stopServers } from "./servers.ts";

afterEach(stopServers);

const once = { retries: 0 };
const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

/** What a list throws when a server speaks so. */
async function told<T extends RequestError>(
  kind: abstract new (...args: never[]) => T,
  speak: (socket: Socket) => void,
  options = {},
): Promise<T> {
  const url = await speaking(speak);
  return await failureOf(
    kind,
    quietClient(url, { ...once, ...options })
      .users.list()
      .page(),
  );
}

/** Says this, and breaks the connection a moment later. */
const thenBreak = (text: string | Uint8Array) => (socket: Socket) => {
  socket.write(text);
  setTimeout(() => socket.destroy(), 10);
};

describe("a NetworkError", () => {
  test("is what a call throws when nothing listens, with the cause", async () => {
    const url = await nobody();
    const error = await failureOf(NetworkError, quietClient(url, once).users.get(7));
    expect(error).toMatchObject({ name: "NetworkError", method: "GET", tries: 1 });
    expect(error.message).toStartWith(`GET /api/users/7: no response from ${url}: `);
    expect(error.cause).toBeInstanceOf(Error);
    expect(error).toBeInstanceOf(RequestError);
  });

  test("is what a call throws when the connection is closed without an answer", async () => {
    const error = await told(NetworkError, (socket) => socket.end());
    expect(error.message).toContain("no response from");
    expect(error.cause).toBeInstanceOf(Error);
  });

  const broken = {
    "the headers break off": "HTTP/1.1 200 OK\r\nContent-Ty",
    "what answers is no HTTP": "SSH-2.0-OpenSSH_9.6\r\n\r\n",
    "the body is shorter than its Content-Length": `${head}Content-Length: 100\r\n\r\n[]`,
    "a chunked body has no end": `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n`,
    "a chunk breaks off": `${head}Transfer-Encoding: chunked\r\n\r\n64\r\n[]`,
  };
  for (const [when, text] of Object.entries(broken)) {
    test(`is what a call throws when ${when}`, async () => {
      const error = await told(NetworkError, thenBreak(text));
      expect(error.message).toStartWith("GET /api/users: ");
      expect(error.cause).toBeInstanceOf(Error);
    });
  }

  test("is what a call throws when the body of a problem breaks off", async () => {
    await told(NetworkError, thenBreak("HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\n{"));
  });

  test("is what a call throws when a compressed body is damaged", async () => {
    const body = gzipSync("[]").fill(0xff, 10);
    const { url } = await answering({ headers: { "content-encoding": "gzip" }, body });
    await failureOf(NetworkError, quietClient(url, once).users.list().page());
  });
});

describe("a TimeoutError", () => {
  test("is what a call throws when no answer comes in time", async () => {
    const { url } = await answering("silence");
    const start = performance.now();
    const error = await failureOf(TimeoutError, quietClient(url, { timeout: 50 }).users.get(7));
    expect(error.message).toBe("GET /api/users/7: no response within 50 ms");
    expect(error.name).toBe("TimeoutError");
    expect(performance.now() - start).toBeWithin(45, 20_000);
  });

  test("is what one call throws that was given less time than the others", async () => {
    const { url } = await answering("silence");
    await failureOf(TimeoutError, quietClient(url).users.get(7, { timeout: 30 }));
    await failureOf(TimeoutError, quietClient(url).users.list({ timeout: 30 }).page());
  });

  test("comes after tryTimeout, and counts the tries", async () => {
    const { url, seen } = await answering("silence");
    const users = quietClient(url, { tryTimeout: 30, retries: 1 }).users;
    const error = await failureOf(TimeoutError, users.get(7));
    expect(error.message).toBe("GET /api/users/7: no response within 30 ms (tried 2 times)");
    expect(error.tries).toBe(2);
    expect(seen).toHaveLength(2);
  });

  test("is what a call throws when the body drips without end", async () => {
    let drips: ReturnType<typeof setInterval> | undefined;
    const error = await told(
      TimeoutError,
      (socket) => {
        socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n1\r\n[\r\n`);
        drips = setInterval(() => socket.write("1\r\n \r\n"), 5);
        socket.on("close", () => clearInterval(drips));
      },
      { timeout: 80 },
    );
    clearInterval(drips);
    expect(error.message).toBe("GET /api/users: no response within 80 ms");
  });

  test("closes the connection, so that the service need not go on", async () => {
    const closed = Promise.withResolvers<void>();
    await told(TimeoutError, (socket) => socket.on("close", () => closed.resolve()), { timeout: 30 });
    await closed.promise;
  });

  test("also ends a fetch that does not listen to signals", async () => {
    const fetch = () => new Promise<Response>(() => undefined);
    const users = quietClient("http://localhost", { fetch, timeout: 30 }).users;
    await failureOf(TimeoutError, users.get(7));
  });

  test("never comes where Infinity is given, nor where an option is undefined", async () => {
    const { url } = await answering({ status: 204 });
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

describe("an answer without end", () => {
  /** Sends as much as is taken. */
  const pour = (out: Writable, piece: string) => {
    const more = () => {
      while (out.writable && out.write(piece));
    };
    out.on("drain", more);
    more();
  };
  const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;

  test("is given up after 64 MiB", async () => {
    const before = process.memoryUsage.rss();
    const error = await told(ApiError, (socket) => {
      socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
      pour(socket, chunk);
    });
    expect(error.message).toBe("GET /api/users: 200: the response is larger than 67108864 bytes");
    expect(process.memoryUsage.rss() - before).toBeLessThan(512 * 1024 * 1024);
  }, 120_000);

  test("is given up after 64 MiB however little of it went over the wire", async () => {
    const error = await told(ApiError, (socket) => {
      socket.write(`${head}Content-Encoding: gzip\r\nConnection: close\r\n\r\n`);
      const gzip = createGzip();
      gzip.pipe(socket);
      pour(gzip, " ".repeat(0x10000));
    });
    expect(error.message).toBe("GET /api/users: 200: the response is larger than 67108864 bytes");
  }, 120_000);
});
