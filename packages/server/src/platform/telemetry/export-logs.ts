import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import type { Resource } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import type { Config } from '../config.ts';
import { endpointOf, EXPORT_TIMEOUT_MS } from './endpoint.ts';
import { observeExports, type FailureLog } from './observe-exports.ts';
import { parseTraceparent } from './trace-context.ts';

/** Sends copies of log lines by OTLP. */
interface LogExport {
  /** Takes a line as it is written to standard output: JSON. */
  readonly copyLine: (line: string) => void;
  shutdown(): Promise<void>;
}

/** The numbers of OpenTelemetry for the levels of a line. */
const SEVERITIES: Readonly<Record<string, number>> = {
  trace: 1,
  debug: 5,
  info: 9,
  warn: 13,
  error: 17,
  fatal: 21,
};

/** Undefined unless logs are exported. */
export function openLogExport(
  config: Config,
  { resource, failures }: { resource: Resource; failures: FailureLog },
): LogExport | undefined {
  const url = endpointOf(config, {
    exporter: config.OTEL_LOGS_EXPORTER,
    own: config.OTEL_EXPORTER_OTLP_LOGS_ENDPOINT,
    path: 'v1/logs',
  });
  if (url === undefined) return undefined;
  const exporter = observeExports(new OTLPLogExporter({ url }), { signal: 'logs', failures });
  const provider = new LoggerProvider({
    resource,
    processors: [
      new BatchLogRecordProcessor({
        exporter,
        scheduledDelayMillis: config.OTEL_BLRP_SCHEDULE_DELAY,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
  const logger = provider.getLogger('aliquot');
  return {
    copyLine: (line) => logger.emit(toRecord(line)),
    shutdown: () => provider.shutdown(),
  };
}

/** The message is the body, and every other field an attribute. */
function toRecord(line: string): Parameters<ReturnType<LoggerProvider['getLogger']>['emit']>[0] {
  const { level, time, msg, ...fields } = JSON.parse(line);
  const spanContext = parseTraceparent(`00-${fields.trace_id}-${fields.span_id}-01`);
  if (spanContext) {
    delete fields.trace_id;
    delete fields.span_id;
  }
  const severity = SEVERITIES[level];
  return {
    timestamp: time,
    ...(severity !== undefined && { severityNumber: severity }),
    severityText: String(level).toUpperCase(),
    body: msg,
    attributes: fields,
    ...(spanContext && { context: trace.setSpanContext(ROOT_CONTEXT, spanContext) }),
  };
}
