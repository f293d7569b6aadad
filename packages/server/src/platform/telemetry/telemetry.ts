import { setTimeout } from 'node:timers/promises';
import { createNoopMeter, type Meter, type Tracer } from '@opentelemetry/api';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { PullReader, openMetricPush, openTracerProvider, resourceOf, serializeMetrics } from './export.ts';
import { openLogExport } from './export-logs.ts';
import { observeCaches } from './observe-caches.ts';
import type { FailureLog } from './observe-exports.ts';
import { observeProcess } from './observe-process.ts';
import { currentTraceFields } from './trace-context.ts';
import { traceHttpClients } from './trace-http-clients.ts';

export {
  currentTraceparent,
  contextOf,
  parseTraceparent,
  runInSpan,
  startChildSpan,
  traceparentOf,
  withSpan,
} from './trace-context.ts';
export { REQUEST_SECONDS } from './buckets.ts';
export { openDurations } from './duration-histogram.ts';

/**
 * Metrics, traces and exported logs of one service. There are no global providers, so that several services in one process do not mix
 * theirs.
 *
 * No attribute of a metric or a span may name a person or a tenant: only names of code (routes, jobs, results), status
 * codes, and random ids on spans.
 */
export interface Telemetry {
  readonly meter: Meter;
  /** Undefined when no traces are exported: then no request pays for them. */
  readonly tracer: Tracer | undefined;
  /** The trace of the running request or job, as fields of a log line; undefined when no traces are exported. */
  readonly traceFields: (() => object) | undefined;
  /** Sends a log line also by OTLP; undefined when no logs are exported. */
  readonly copyLine: ((line: string) => void) | undefined;
  /** From now on, failures of the exporters are logged. */
  logFailures(log: Log): void;
  /** All metrics in the text format of Prometheus. Observes the gauges. */
  metricsText(): Promise<string>;
  /** Sends what has not been sent. */
  close(): Promise<void>;
}

/** Records nothing: for commands, tools and scratch databases. */
export const silentTelemetry: Telemetry = {
  meter: createNoopMeter(),
  tracer: undefined,
  traceFields: undefined,
  copyLine: undefined,
  logFailures: () => {},
  metricsText: async () => '',
  close: async () => {},
};

const SCOPE = 'aliquot';
/** A collector that does not answer must not keep the service from stopping; the exporters would try for ten seconds. */
const CLOSE_PATIENCE_MS = 2000;

/** Needs no collector: /metrics pulls. OTLP is added by the OTEL_ settings. */
export function openTelemetry(config: Config): Telemetry {
  if (config.OTEL_SDK_DISABLED) return silentTelemetry;
  const resource = resourceOf(config);
  const pull = new PullReader();
  const failures: FailureLog = {};
  const push = openMetricPush(config, failures);
  const metrics = new MeterProvider({ resource, readers: [pull, ...(push ? [push] : [])] });
  const traces = openTracerProvider(config, { resource, failures });
  const logs = openLogExport(config, { resource, failures });
  const meter = metrics.getMeter(SCOPE);
  const observer = observeProcess(meter);
  observeCaches(meter);
  const clients = traces && traceHttpClients();
  return {
    meter,
    tracer: traces?.getTracer(SCOPE),
    traceFields: traces && currentTraceFields,
    copyLine: logs?.copyLine,
    logFailures: (log) => void (failures.log = log),
    metricsText: async () => serializeMetrics((await pull.collect()).resourceMetrics),
    close: async () => {
      observer.stop();
      clients?.stop();
      const sent = Promise.allSettled([metrics.shutdown(), traces?.shutdown(), logs?.shutdown()]);
      await Promise.race([sent, setTimeout(CLOSE_PATIENCE_MS, undefined, { ref: false })]);
    },
  };
}
