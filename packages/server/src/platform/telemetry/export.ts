import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  type Resource,
} from '@opentelemetry/resources';
import {
  MetricReader,
  PeriodicExportingMetricReader,
  type MetricData,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TracerProvider,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { Config } from '../config.ts';
import { endpointOf, EXPORT_TIMEOUT_MS } from './endpoint.ts';
import { observeExports, type FailureLog } from './observe-exports.ts';

/** Reads the metrics when it is asked to. */
export class PullReader extends MetricReader {
  protected override async onShutdown(): Promise<void> {}
  protected override async onForceFlush(): Promise<void> {}
}

export const resourceOf = (config: Config): Resource =>
  defaultResource()
    .merge(detectResources({ detectors: [envDetector, serviceInstanceIdDetector] }))
    .merge(resourceFromAttributes({ 'service.name': config.OTEL_SERVICE_NAME }));

export function openMetricPush(config: Config, failures: FailureLog): MetricReader | undefined {
  const url = endpointOf(config, {
    exporter: config.OTEL_METRICS_EXPORTER,
    own: config.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT,
    path: 'v1/metrics',
  });
  if (url === undefined) return undefined;
  const exportIntervalMillis = config.OTEL_METRIC_EXPORT_INTERVAL;
  return new PeriodicExportingMetricReader({
    exporter: observeExports(new OTLPMetricExporter({ url }), { signal: 'metrics', failures }),
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(exportIntervalMillis, EXPORT_TIMEOUT_MS),
  });
}

export function openTracerProvider(
  config: Config,
  { resource, failures }: { resource: Resource; failures: FailureLog },
): TracerProvider | undefined {
  const url = endpointOf(config, {
    exporter: config.OTEL_TRACES_EXPORTER,
    own: config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
    path: 'v1/traces',
  });
  if (url === undefined) return undefined;
  return new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(config.OTEL_TRACES_SAMPLER_ARG) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: observeExports(new OTLPTraceExporter({ url }), { signal: 'traces', failures }),
        scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
}

/** Without the labels of the scope, which are the same everywhere. */
const serializer = new PrometheusSerializer('', false, undefined, false, true);

/** Prometheus ends a name with its unit, which OpenTelemetry states beside it. Annotations such as {job} are no unit. */
const UNIT_SUFFIXES: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes', '1': 'ratio' };

function withUnit(metric: MetricData): MetricData {
  const { descriptor } = metric;
  const suffix = UNIT_SUFFIXES[descriptor.unit];
  const name = suffix === undefined ? descriptor.name : `${descriptor.name}_${suffix}`;
  return { ...metric, descriptor: { ...descriptor, name, unit: suffix ?? '' } };
}

export const serializeMetrics = (collected: ResourceMetrics): string =>
  serializer.serialize({
    ...collected,
    scopeMetrics: collected.scopeMetrics.map(({ scope, metrics }) => ({
      scope,
      metrics: metrics.map(withUnit),
    })),
  });
