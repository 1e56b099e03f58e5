import type { OtlpAttribute, OtlpExporter } from "./otlp-exporter.ts";
import type { Sampler } from "./sampler.ts";
import { createContext, formatTraceparent, parseTraceparent, type TraceContext } from "./trace-context.ts";

const kinds = { server: 2, client: 3 } as const;
const ERROR = 2;

type Attributes = Readonly<Record<string, string | number | undefined>>;

interface SpanResult {
  readonly name: string;
  readonly attributes: Attributes;
  /** Whether the operation failed because of the service that the span is about. */
  readonly failed: boolean;
}

/** An operation that is running. */
export class Span {
  readonly #parent: TraceContext | undefined;
  readonly #kind: keyof typeof kinds;
  readonly #exporter: OtlpExporter;
  readonly #start = unixMicroseconds();

  constructor(
    readonly context: TraceContext,
    parent: TraceContext | undefined,
    kind: keyof typeof kinds,
    exporter: OtlpExporter,
  ) {
    this.#parent = parent;
    this.#kind = kind;
    this.#exporter = exporter;
  }

  /** The header that makes other services continue this trace. */
  get traceparent(): string {
    return formatTraceparent(this.context);
  }

  end({ name, attributes, failed }: SpanResult): void {
    const { traceId, spanId, sampled, state } = this.context;
    if (!sampled) return;
    this.#exporter.add({
      traceId,
      spanId,
      ...(this.#parent && { parentSpanId: this.#parent.spanId }),
      ...(state !== "" && { traceState: state }),
      name,
      kind: kinds[this.#kind],
      startTimeUnixNano: `${this.#start}000`,
      endTimeUnixNano: `${unixMicroseconds()}000`,
      attributes: toAttributes(attributes),
      status: failed ? { code: ERROR } : {},
    });
  }
}

/** Starts spans. Exists only if traces are exported: without a tracer, requests cost nothing more. */
export class Tracer {
  readonly #sampler: Sampler;

  constructor(
    sampler: Sampler,
    readonly exporter: OtlpExporter,
  ) {
    this.#sampler = sampler;
  }

  /** The span of a request to this service, in the caller's trace if it names one. */
  startServerSpan({ headers }: Request): Span {
    const parent = parseTraceparent(headers.get("traceparent"), headers.get("tracestate"));
    return new Span(createContext(parent, this.#sampler), parent, "server", this.exporter);
  }

  /** The span of a request that this service sends, in a trace of its own. */
  startClientSpan(): Span {
    return new Span(createContext(undefined, this.#sampler), undefined, "client", this.exporter);
  }
}

export function toAttributes(attributes: Attributes): OtlpAttribute[] {
  const list: OtlpAttribute[] = [];
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "number") list.push({ key, value: { intValue: String(value) } });
    else if (value !== undefined) list.push({ key, value: { stringValue: value } });
  }
  return list;
}

function unixMicroseconds(): number {
  return Math.round((performance.timeOrigin + performance.now()) * 1000);
}
