import { hasFields } from "./has-fields.ts";
import type { CheckSchemaOptions } from "./schema-types.ts";
import type { JsonSchema, SchemaCheck } from "./service-types.ts";
import { ResponseStream } from "./transport/response-stream.ts";
import type { ServiceTransport } from "./transport/service-transport.ts";
import { StreamingCall } from "./transport/streaming-call.ts";

interface Progress {
  readonly checked: number;
  readonly total?: number;
}

const NDJSON = "application/x-ndjson";

/** Checks a schema and all users, and reports the progress. */
export async function checkSchema(
  transport: ServiceTransport,
  schema: JsonSchema,
  { onProgress, ...options }: CheckSchemaOptions,
): Promise<SchemaCheck> {
  const query = new URLSearchParams({ dryRun: "true" });
  const call = new StreamingCall(
    transport,
    transport.buildCall("PUT", ["schema"], {}, schema, { accept: NDJSON }, query),
    options,
  );
  return call.reportErrors(async () => {
    const response = await ResponseStream.open(call, NDJSON);
    for await (const lines of response.lines(isProgress, "the progress of a check")) {
      for (const line of lines) {
        if (isResult(line)) {
          call.stop();
          return line;
        }
        onProgress?.({ checked: line.checked, total: line.total ?? 0 });
      }
    }
    throw response.cutOff("the result is missing");
  });
}

function isProgress(value: unknown): value is Progress {
  return hasFields<Progress>(value, { checked: "number" });
}

function isResult(value: Progress): value is Progress & SchemaCheck {
  return hasFields<SchemaCheck>(value, { checked: "number", violating: "number" });
}
