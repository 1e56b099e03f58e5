import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type Server, serve } from "bun";
import { version } from "../../src/config/version.ts";
import { type Roster, startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";

setDefaultTimeout(120_000);

interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
  status: { code?: number };
}

/** A small OTLP receiver. */
class Collector {
  readonly requests: { url: string; headers: Headers; body: Body }[] = [];
  /** The statuses of the next responses; then 200. */
  readonly statuses: number[] = [];
  readonly server: Server<undefined> = serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      this.requests.push({ url: pathname, headers: request.headers, body: await request.json() });
      return new Response("{}", { status: this.statuses.shift() ?? 200 });
    },
  });

  get url(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  spans(): ReceivedSpan[] {
    return this.requests.flatMap(({ body }) => body.resourceSpans[0]?.scopeSpans[0]?.spans ?? []);
  }
}
interface Body {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue: string } }[] };
    scopeSpans: { scope: object; spans: ReceivedSpan[] }[];
  }[];
}

const collectors: Collector[] = [];
function startCollector(): Collector {
  const collector = new Collector();
  collectors.push(collector);
  return collector;
}

afterAll(async () => {
  await stopAll();
  for (const { server } of collectors) await server.stop(true);
});

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const callerSpan = "00f067aa0ba902b7";

const start = (env: Record<string, string>) =>
  startRoster(join(temporaryFolder(), "roster.db"), {
    env,
    flags: ["--log-level=debug", "--log-format=json"],
  });

async function stop(roster: Roster): Promise<void> {
  roster.kill("SIGTERM");
  expect(await roster.exited).toMatchObject({ code: 0 });
}

describe("with an endpoint", () => {
  const startedAt = Date.now();
  const collector = startCollector();
  let roster: Roster;
  let received: Response;
  beforeAll(async () => {
    roster = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=s%20cret,x-team=users",
      OTEL_SERVICE_NAME: "people",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test,service.name=other",
    });
    await roster.call("/api/users", { method: "POST", json: { name: "Ada" } });
    received = await roster.call("/api/users/1?secret=no", {
      headers: { traceparent: `00-${traceId}-${callerSpan}-01`, tracestate: "vendor=1" },
    });
    await roster.call("/api/users/999");
    await roster.call("/api/users/1", { headers: { traceparent: `00-${traceId}-${callerSpan}-00` } });
    await roster.call("/api/users/1", { headers: { traceparent: "00-nonsense" } });
    await stop(roster);
  });

  const find = (name: string) => collector.spans().filter((span) => span.name === name);
  const attributes = (span: ReceivedSpan | undefined) =>
    Object.fromEntries(
      span?.attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]) ?? [],
    );

  test("sends JSON to /v1/traces, with the headers and the resource", () => {
    const [first] = collector.requests;
    expect(first?.url).toBe("/v1/traces");
    expect(first?.headers.get("content-type")).toBe("application/json");
    expect([first?.headers.get("api-key"), first?.headers.get("x-team")]).toEqual(["s cret", "users"]);
    const resource = first?.body.resourceSpans[0]?.resource.attributes ?? [];
    expect(Object.fromEntries(resource.map(({ key, value }) => [key, value.stringValue]))).toMatchObject({
      "service.name": "people",
      "service.version": version,
      "deployment.environment.name": "test",
    });
  });

  test("describes a request by method, route and status, without its query", () => {
    const [span] = find("POST /api/users");
    expect(attributes(span)).toMatchObject({
      "http.request.method": "POST",
      "http.route": "/api/users",
      "http.response.status_code": 201,
      "url.scheme": "http",
      "url.path": "/api/users",
    });
    expect(span).toMatchObject({ kind: 2, status: {} });
    expect(span?.parentSpanId).toBeUndefined();
    const nanos = Number(span?.endTimeUnixNano) - Number(span?.startTimeUnixNano);
    expect(nanos).toBeGreaterThan(0);
    expect(Number(span?.endTimeUnixNano) / 1e6).toBeWithin(startedAt, Date.now() + 1);
    expect(JSON.stringify(collector.requests)).not.toContain("secret=no");
  });

  test("continues the caller's trace, and names its span in the response and in the log", () => {
    const span = find("GET /api/users/{id}").find(({ parentSpanId }) => parentSpanId === callerSpan);
    expect(span).toMatchObject({ traceId, traceState: "vendor=1" });
    expect(received.headers.get("traceparent")).toBe(`00-${traceId}-${span?.spanId}-01`);
    expect(roster.stdout.filter((line) => line.includes(`"traceId":"${traceId}"`)).length).toBe(2);
  });

  test("begins a trace if the caller's is invalid, and drops the span if the caller does not sample", () => {
    const spans = find("GET /api/users/{id}");
    expect(spans.map((span) => attributes(span)["http.response.status_code"]).sort()).toEqual([
      200, 200, 404,
    ]);
    expect(spans.filter((span) => span.traceId === traceId).length).toBe(1);
  });
});

test("sends spans again after 503, and logs no URL", async () => {
  const collector = startCollector();
  collector.statuses.push(503);
  const roster = await start({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/own/path?token=hidden`,
  });
  for (let i = 0; i < 600; i++) await roster.call("/healthz");
  await stop(roster);
  const ids = collector.spans().map(({ spanId }) => spanId);
  expect(collector.requests[0]?.url).toBe("/own/path");
  // The refused spans arrive a second time. The readiness check of the start is one more.
  expect(new Set(ids).size).toBe(601);
  expect(ids.length).toBeGreaterThan(601);
  const log = roster.stdout.join("\n");
  expect(log).toContain("cannot export traces");
  expect(log).not.toContain("hidden");
});

test("a collector that is down costs no request, and does not stop the service from stopping", async () => {
  const roster = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" });
  expect((await roster.call("/healthz")).status).toBe(200);
  await stop(roster);
});

test("without an endpoint, or with OTEL_SDK_DISABLED, responses have no traceparent and nothing is sent", async () => {
  const collector = startCollector();
  const settings = [{}, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SDK_DISABLED: "true" }];
  for (const env of settings) {
    const roster = await start(env);
    const response = await roster.call("/healthz", {
      headers: { traceparent: `00-${traceId}-${callerSpan}-01` },
    });
    expect(response.headers.get("traceparent")).toBeNull();
    await stop(roster);
  }
  expect(collector.requests).toEqual([]);
});

test("deliveries to webhooks have a span, and a traceparent that the receiver can continue", async () => {
  const collector = startCollector();
  const receiver = Promise.withResolvers<Headers>();
  const server = serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      receiver.resolve(request.headers);
      return new Response();
    },
  });
  const roster = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    ROSTER_WEBHOOK_PRIVATE: "allow",
  });
  const url = `http://127.0.0.1:${server.port}/hook?token=hidden`;
  expect(
    (await roster.call("/api/webhooks", { method: "POST", json: { url, types: ["user.*"] } })).status,
  ).toBe(201);
  await roster.call("/api/users", { method: "POST", json: { name: "Ada" } });
  const headers = await receiver.promise;
  await stop(roster);
  await server.stop(true);
  const span = collector.spans().find(({ kind }) => kind === 3);
  expect(headers.get("traceparent")).toBe(`00-${span?.traceId}-${span?.spanId}-01`);
  const address = { key: "server.address", value: { stringValue: new URL(url).host } };
  expect(span?.attributes).toContainEqual(address);
  expect(JSON.stringify(collector.requests)).not.toContain("hidden");
});
