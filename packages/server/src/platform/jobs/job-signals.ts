import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { performance } from 'node:perf_hooks';
import { contextOf, openDurations, withSpan, type Telemetry } from '../telemetry/telemetry.ts';

const recordDuration = openDurations('aliquot.job.duration', 'Duration of jobs by name and result');

interface ObservedJob {
  readonly name: string;
  /** Of the request or job that enqueued it. */
  readonly traceparent: string | undefined;
  readonly run: () => Promise<void>;
}

/** Runs a job, measures it, and traces it below what enqueued it. */
export async function observeJob(
  telemetry: Telemetry,
  { name, traceparent, run }: ObservedJob,
): Promise<void> {
  const begun = performance.now();
  const parent = contextOf(traceparent);
  const labels = { 'aliquot.job.name': name };
  const { tracer } = telemetry;
  const span = tracer?.startSpan(`job ${name}`, { kind: SpanKind.CONSUMER, attributes: labels }, parent);
  let result = 'failed';
  try {
    await (tracer && span ? withSpan(tracer, span, run) : run());
    result = 'done';
  } finally {
    recordDuration(telemetry, performance.now() - begun, { ...labels, 'aliquot.result': result });
    if (result === 'failed') span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
  }
}
