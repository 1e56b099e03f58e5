import { parseCollectorUrl, parseNameValues, parseRatio, parseServiceName } from "./parsers.ts";
import { oneOf, wholeNumber } from "./setting.ts";

/** The standard variables of OpenTelemetry for traces. */
export const traceSettings = {
  otlpEndpoint: {
    env: "OTEL_EXPORTER_OTLP_ENDPOINT",
    flag: "otlp-endpoint",
    default: "",
    takes: "an `http:` or `https:` URL such as `http://localhost:4318`",
    about:
      "OpenTelemetry collector to send traces to, at the path `/v1/traces`. If empty, nothing is traced.",
    parse: parseCollectorUrl,
  },
  otlpTracesEndpoint: {
    env: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    flag: "otlp-traces-endpoint",
    default: "",
    takes: "an `http:` or `https:` URL",
    about: "The whole URL to send traces to, instead of `OTEL_EXPORTER_OTLP_ENDPOINT`.",
    parse: parseCollectorUrl,
  },
  otlpHeaders: {
    env: "OTEL_EXPORTER_OTLP_HEADERS",
    default: "",
    takes: "names and values such as `api-key=secret`, percent-encoded, separated by commas",
    about: "Headers of requests to the collector. Has no flag, because they may hold a secret.",
    parse: parseNameValues,
  },
  otlpTimeout: wholeNumber(
    "OTEL_EXPORTER_OTLP_TIMEOUT",
    "otlp-timeout",
    10_000,
    1,
    600_000,
    "Milliseconds to wait for the collector.",
  ),
  otelServiceName: {
    env: "OTEL_SERVICE_NAME",
    flag: "otel-service-name",
    default: "",
    takes: "a text of at most 255 characters",
    about:
      "The name of this service in traces: by default `roster`, or `service.name` of `OTEL_RESOURCE_ATTRIBUTES`.",
    parse: parseServiceName,
  },
  otelResourceAttributes: {
    env: "OTEL_RESOURCE_ATTRIBUTES",
    flag: "otel-resource-attributes",
    default: "",
    takes:
      "names and values such as `deployment.environment.name=production`, percent-encoded, separated by commas",
    about: "Attributes of all traces of this service.",
    parse: parseNameValues,
  },
  tracesSampler: oneOf(
    "OTEL_TRACES_SAMPLER",
    "traces-sampler",
    "parentbased_always_on",
    [
      "always_on",
      "always_off",
      "traceidratio",
      "parentbased_always_on",
      "parentbased_always_off",
      "parentbased_traceidratio",
    ],
    "Which requests are traced. With `parentbased_`, callers that send `traceparent` decide.",
  ),
  tracesSamplerArg: {
    env: "OTEL_TRACES_SAMPLER_ARG",
    flag: "traces-sampler-arg",
    default: "1",
    takes: "a number from 0 to 1",
    about: "The share of traces that `traceidratio` and `parentbased_traceidratio` keep.",
    parse: parseRatio,
  },
  otelDisabled: oneOf(
    "OTEL_SDK_DISABLED",
    "otel-sdk-disabled",
    "false",
    ["true", "false"],
    "`true` turns traces off, even if an endpoint is set.",
  ),
} as const;
