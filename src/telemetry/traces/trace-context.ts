/** The identity of a span, as it travels between services (W3C Trace Context). */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly sampled: boolean;
  /** The header `tracestate`, which vendors use; empty without one. */
  readonly state: string;
}

const MAX_STATE_CHARACTERS = 512;
/** Version 00 ends after the flags. Later versions may add fields. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const PRINTABLE = /^[\x20-\x7e]*$/;

/** The caller's span; undefined if the header is missing or invalid. */
export function parseTraceparent(header: string | null, state: string | null): TraceContext | undefined {
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(header ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === "00" && more !== undefined) return undefined;
  const isValidState = state !== null && state.length <= MAX_STATE_CHARACTERS && PRINTABLE.test(state);
  return {
    traceId,
    spanId,
    sampled: (Number.parseInt(flags, 16) & 1) === 1,
    state: isValidState ? state : "",
  };
}

export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
}

/** A new span in the caller's trace, or in a new trace. */
export function createContext(
  parent: TraceContext | undefined,
  sample: (traceId: string, parent: TraceContext | undefined) => boolean,
): TraceContext {
  const traceId = parent?.traceId ?? randomHex(16);
  return { traceId, spanId: randomHex(8), sampled: sample(traceId, parent), state: parent?.state ?? "" };
}

function randomHex(bytes: number): string {
  return crypto.getRandomValues(Buffer.alloc(bytes)).toString("hex");
}
