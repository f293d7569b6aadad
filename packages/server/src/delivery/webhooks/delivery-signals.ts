import { SpanKind, SpanStatusCode, type Attributes, type Histogram, type Span } from '@opentelemetry/api';
import {
  contextOf,
  REQUEST_SECONDS,
  traceparentOf,
  type Telemetry,
} from '../../platform/telemetry/telemetry.ts';
import type { ClaimedMessage } from './claim.ts';
import type { AttemptOutcome } from './outcome.ts';

const MS = 1000;
const histograms = new WeakMap<Telemetry, Histogram>();

function durationOf(telemetry: Telemetry): Histogram {
  const known = histograms.get(telemetry);
  if (known) return known;
  const created = telemetry.meter.createHistogram('aliquot.webhook.attempt.duration', {
    unit: 's',
    description: 'Duration of attempts to deliver a webhook message, by result',
    advice: { explicitBucketBoundaries: REQUEST_SECONDS },
  });
  histograms.set(telemetry, created);
  return created;
}

/** One attempt: its span, and the `traceparent` that its request carries. */
interface ObservedAttempt {
  readonly span: Span;
  readonly traceparent: string | undefined;
}

/** Continues the trace of what caused the event. Undefined while no traces are exported. */
export function beginAttempt(
  { tracer }: Telemetry,
  { event, row }: ClaimedMessage,
): ObservedAttempt | undefined {
  if (!tracer) return undefined;
  const attributes = { 'aliquot.event.type': event.type, 'aliquot.webhook.attempt': row.attempts + 1 };
  const parent = contextOf(event.traceparent);
  const span = tracer.startSpan('webhook delivery', { kind: SpanKind.CLIENT, attributes }, parent);
  return { span, traceparent: traceparentOf(span) };
}

/** Of each result there are two sets of labels, which are built once. */
const labels = new Map<string, Attributes>();

function labelsOf(result: string, environment: string): Attributes {
  const name = `${result} ${environment}`;
  const known = labels.get(name);
  if (known) return known;
  const created = { 'aliquot.result': result, 'aliquot.environment': environment };
  labels.set(name, created);
  return created;
}

const RESULTS = { delivered: 'delivered', pending: 'retried', failed: 'given_up' } as const;

export function endAttempt(
  telemetry: Telemetry,
  { claimed, response, status }: AttemptOutcome,
  span: Span | undefined,
): void {
  const recorded = labelsOf(RESULTS[status], claimed.row.environment);
  durationOf(telemetry).record(response.durationMs / MS, recorded);
  if (!span) return;
  span.setAttributes(recorded);
  if (response.statusCode !== null) span.setAttribute('http.response.status_code', response.statusCode);
  if (status !== 'delivered') span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
