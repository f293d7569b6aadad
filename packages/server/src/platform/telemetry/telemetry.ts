import { setTimeout } from 'node:timers/promises';
import { createNoopMeter, type Meter, type Tracer } from '@opentelemetry/api';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { Config } from '../config.ts';
import { PullReader, openMetricPush, openTracerProvider, resourceOf, serializeMetrics } from './export.ts';
import { observeProcess } from './observe-process.ts';

export {
  currentTraceparent,
  contextOf,
  parseTraceparent,
  traceparentOf,
  withTraceparent,
} from './trace-context.ts';
export { BACKGROUND_SECONDS, REQUEST_SECONDS } from './buckets.ts';

/**
 * Metrics and traces of one service. There are no global providers, so that several services in one process do not mix
 * theirs.
 *
 * No attribute of a metric or a span may name a person or a tenant: only names of code (routes, jobs, results), status
 * codes, and random ids on spans.
 */
export interface Telemetry {
  readonly meter: Meter;
  /** Undefined when no traces are exported: then no request pays for them. */
  readonly tracer: Tracer | undefined;
  /** All metrics in the text format of Prometheus. Observes the gauges. */
  metricsText(): Promise<string>;
  /** Sends what has not been sent. */
  close(): Promise<void>;
}

/** Records nothing: for commands, tools and scratch databases. */
export const silentTelemetry: Telemetry = {
  meter: createNoopMeter(),
  tracer: undefined,
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
  const push = openMetricPush(config);
  const metrics = new MeterProvider({ resource, readers: [pull, ...(push ? [push] : [])] });
  const traces = openTracerProvider(config, resource);
  const meter = metrics.getMeter(SCOPE);
  const observer = observeProcess(meter);
  return {
    meter,
    tracer: traces?.getTracer(SCOPE),
    metricsText: async () => serializeMetrics((await pull.collect()).resourceMetrics),
    close: async () => {
      observer.stop();
      const sent = Promise.allSettled([metrics.shutdown(), traces?.shutdown()]);
      await Promise.race([sent, setTimeout(CLOSE_PATIENCE_MS, undefined, { ref: false })]);
    },
  };
}
