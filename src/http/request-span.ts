import { keyIdOf } from "../domain/caller.ts";
import type { Span } from "../telemetry/traces/tracer.ts";
import { loggedPath } from "./logged-path.ts";
import type { RequestContext } from "./request-context.ts";

/** Ends the span of a request, by the conventions of OpenTelemetry, and adds its `traceparent` to the response. */
export function endSpan(context: RequestContext, span: Span, response: Response): void {
  const { request, route, requestId, caller, url } = context;
  const { status } = response;
  response.headers.set("traceparent", span.traceparent);
  span.end({
    name: route === "" ? request.method : `${request.method} ${route}`,
    attributes: {
      "http.request.method": request.method,
      "http.route": route || undefined,
      "http.response.status_code": status,
      "url.scheme": url.slice(0, url.indexOf(":")),
      "url.path": loggedPath(context),
      "error.type": status >= 500 ? String(status) : undefined,
      "roster.request_id": requestId,
      "roster.key_id": keyIdOf(caller.actor),
    },
    failed: status >= 500,
  });
}
