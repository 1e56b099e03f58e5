import type { Tracer } from "./tracer.ts";

interface Outcome {
  readonly code: number | null;
  readonly error: string | null;
}

/** Traces one attempt to deliver an event to a webhook. The URL may hold a secret: only its host is recorded. */
export function traceDelivery(tracer: Tracer, host: string) {
  const span = tracer.startClientSpan();
  return {
    traceparent: span.traceparent,
    end({ code, error }: Outcome) {
      span.end({
        name: "POST",
        attributes: {
          "http.request.method": "POST",
          "http.response.status_code": code ?? undefined,
          "server.address": host,
          "error.type": error === null ? undefined : String(code ?? "no_response"),
        },
        failed: error !== null,
      });
    },
  };
}
