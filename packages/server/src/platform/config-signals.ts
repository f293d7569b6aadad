import { z } from 'zod';
import { flag } from './config-flag.ts';

const otlpUrl = (description: string) =>
  z
    .string()
    .regex(/^https?:\/\/\S+$/, 'expected an http or https URL')
    .optional()
    .describe(description);

/** Logs, metrics and traces. The OTEL_ settings are those of OpenTelemetry. */
export const signalSettings = {
  LOG_FORMAT: z
    .enum(['json', 'pretty'])
    .optional()
    .describe('How log lines are written. Default: `pretty` on a terminal, otherwise `json`.'),
  LOG_REQUESTS: flag
    .default(true)
    .describe(
      'Whether each request writes a log line: method, route, status, duration and ids; never a query, a path parameter or a body.',
    ),
  PROBE_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .optional()
    .describe(
      'Second port, plain HTTP at HOST, that serves only `/healthz`, `/readyz` and `/metrics`, without a key; 0 picks a free port. Keep it inside your network. Default: none.',
    ),
  METRICS_TOKEN: z
    .string()
    .regex(/^[\w.~+/-]{16,}=*$/, 'expected a bearer token of at least 16 characters')
    .optional()
    .describe('Bearer token for `/metrics` on PORT. Without it, PORT does not serve metrics.'),
  OTEL_SDK_DISABLED: z
    .stringbool()
    .default(false)
    .describe('Whether metrics, traces and exported logs are off. `/metrics` is then empty.'),
  OTEL_SERVICE_NAME: z
    .string()
    .min(1)
    .default('aliquot')
    .describe('Name of this service in metrics, traces and exported logs.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: otlpUrl(
    'Collector that receives traces, metrics and logs by OTLP over HTTP, as JSON: `/v1/traces`, `/v1/metrics` and `/v1/logs` are appended. Default: none. OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_TIMEOUT and OTEL_RESOURCE_ATTRIBUTES apply as OpenTelemetry defines them.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: otlpUrl('The same for traces only: the complete URL.'),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: otlpUrl('The same for metrics only: the complete URL.'),
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: otlpUrl('The same for logs only: the complete URL.'),
  OTEL_TRACES_EXPORTER: z
    .enum(['otlp', 'none'])
    .optional()
    .describe(
      'Where traces go. Default: `otlp` if an endpoint is set, otherwise `none`. `otlp` without an endpoint sends to http://localhost:4318.',
    ),
  OTEL_METRICS_EXPORTER: z
    .enum(['otlp', 'none'])
    .optional()
    .describe('The same for metrics. `/metrics` is served in any case.'),
  OTEL_LOGS_EXPORTER: z
    .enum(['otlp', 'none'])
    .optional()
    .describe('The same for log lines. They are written to standard output in any case.'),
  OTEL_METRIC_EXPORT_INTERVAL: z.coerce
    .number()
    .int()
    .min(100)
    .max(3_600_000)
    .default(60_000)
    .describe('Milliseconds between two exports of metrics by OTLP.'),
  OTEL_BSP_SCHEDULE_DELAY: z.coerce
    .number()
    .int()
    .min(10)
    .max(600_000)
    .default(5000)
    .describe('Milliseconds until finished spans are sent.'),
  OTEL_BLRP_SCHEDULE_DELAY: z.coerce
    .number()
    .int()
    .min(10)
    .max(600_000)
    .default(1000)
    .describe('Milliseconds until log lines are sent.'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe(
      'Share of the traces that begin here and are recorded, from 0 to 1. A request with `traceparent` follows the decision of its caller.',
    ),
};
