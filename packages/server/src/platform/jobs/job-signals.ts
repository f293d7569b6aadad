import { SpanKind, SpanStatusCode, type Histogram } from '@opentelemetry/api';
import { performance } from 'node:perf_hooks';
import {
  BACKGROUND_SECONDS,
  contextOf,
  traceparentOf,
  withTraceparent,
  type Telemetry,
} from '../telemetry/telemetry.ts';

const MS = 1000;
const histograms = new WeakMap<Telemetry, Histogram>();

function durationOf(telemetry: Telemetry): Histogram {
  const known = histograms.get(telemetry);
  if (known) return known;
  const created = telemetry.meter.createHistogram('aliquot.job.duration', {
    unit: 's',
    description: 'Duration of jobs by name and result',
    advice: { explicitBucketBoundaries: BACKGROUND_SECONDS },
  });
  histograms.set(telemetry, created);
  return created;
}

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
  const span = telemetry.tracer?.startSpan(
    `job ${name}`,
    { kind: SpanKind.CONSUMER, attributes: labels },
    parent,
  );
  const entered = span && traceparentOf(span);
  let result = 'failed';
  try {
    await (entered === undefined ? run() : withTraceparent(entered, run));
    result = 'done';
  } finally {
    durationOf(telemetry).record((performance.now() - begun) / MS, { ...labels, 'aliquot.result': result });
    if (result === 'failed') span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
  }
}
