import { hostname } from "node:os";
import type { Log } from "../log.ts";
import { OtlpExporter } from "./otlp-exporter.ts";
import { createSampler, type SamplerName } from "./sampler.ts";
import { Tracer, toAttributes } from "./tracer.ts";

/** The settings of traces: the standard variables of OpenTelemetry. */
export interface TraceSettings {
  readonly otelDisabled: "true" | "false";
  readonly otlpEndpoint: string;
  readonly otlpTracesEndpoint: string;
  readonly otlpHeaders: Readonly<Record<string, string>>;
  readonly otlpTimeout: number;
  readonly otelServiceName: string;
  readonly otelResourceAttributes: Readonly<Record<string, string>>;
  readonly tracesSampler: SamplerName;
  readonly tracesSamplerArg: number;
}

/** Undefined if no endpoint is set: then nothing is traced. */
export function createTracer(settings: TraceSettings, version: string, log: Log): Tracer | undefined {
  const { otlpEndpoint, otlpTracesEndpoint, otelServiceName, otelResourceAttributes } = settings;
  const url = otlpTracesEndpoint || (otlpEndpoint && `${otlpEndpoint.replace(/\/$/, "")}/v1/traces`);
  if (url === "" || settings.otelDisabled === "true") return undefined;
  const resource = toAttributes({
    "service.name": "roster",
    "service.version": version,
    "service.instance.id": `${hostname()}-${process.pid}`,
    ...otelResourceAttributes,
    ...(otelServiceName !== "" && { "service.name": otelServiceName }),
  });
  const exporter = new OtlpExporter({
    url,
    headers: settings.otlpHeaders,
    timeoutMs: settings.otlpTimeout,
    resource,
    version,
    log,
  });
  return new Tracer(createSampler(settings.tracesSampler, settings.tracesSamplerArg), exporter);
}
