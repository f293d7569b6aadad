import { AsyncLocalStorage } from 'node:async_hooks';
import {
  SpanStatusCode,
  TraceFlags,
  type Context,
  type Span,
  type SpanContext,
  type SpanOptions,
  type Tracer,
  isSpanContextValid,
  ROOT_CONTEXT,
  trace,
} from '@opentelemetry/api';

interface ActiveTrace {
  /** The value of the W3C header `traceparent`. */
  readonly traceparent: string;
  readonly context: Context;
  readonly isSampled: boolean;
  readonly fields: { readonly trace_id: string; readonly span_id: string };
  /** Of the service that opened the span: several services in one process do not mix theirs. */
  readonly tracer: Tracer;
}

/**
 * The span of the running request or job. It is only entered while traces are exported, so that a service without traces
 * does not pay for it.
 */
const active = new AsyncLocalStorage<ActiveTrace>();

export const currentTraceparent = (): string | undefined => active.getStore()?.traceparent;

/** The ids of the active span, as fields of a log line. */
export function currentTraceFields(): object {
  const store = active.getStore();
  return { ...store?.fields };
}

/** Runs `run` inside a span: spans that it opens are below it, and what it enqueues and emits continues its trace. */
export function withSpan<T>(tracer: Tracer, span: Span, run: () => T): T {
  const traceparent = traceparentOf(span);
  if (traceparent === undefined) return run();
  const context = trace.setSpan(ROOT_CONTEXT, span);
  const { traceId, spanId, traceFlags } = span.spanContext();
  const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
  const fields = { trace_id: traceId, span_id: spanId };
  return active.run({ traceparent, context, isSampled, tracer, fields }, run);
}

/** For the exporters: what they send must not become spans. */
export const outsideOfSpans = <T>(run: () => T): T => active.exit(run);

/** Opens a span below that of the running request or job; undefined outside of one, and where none is recorded. */
export function startChildSpan(name: string, options: SpanOptions): Span | undefined {
  const parent = active.getStore();
  return parent?.isSampled === true ? parent.tracer.startSpan(name, options, parent.context) : undefined;
}

/** Runs `run` in a span below the active one, or in a trace of its own. Without traces there is no span. */
export async function runInSpan<T>(
  { tracer }: { readonly tracer: Tracer | undefined },
  { name, ...options }: SpanOptions & { readonly name: string },
  run: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  if (!tracer) return run(undefined);
  const span = tracer.startSpan(name, options, active.getStore()?.context ?? ROOT_CONTEXT);
  try {
    return await withSpan(tracer, span, () => run(span));
  } catch (error) {
    span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Parses `traceparent`; undefined for anything else, which then starts a trace of its own. */
export function parseTraceparent(header: unknown): SpanContext | undefined {
  const [, traceId, spanId, flags] = (typeof header === 'string' && TRACEPARENT.exec(header)) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
}

/** The context below which a span continues the trace of a `traceparent`. */
export function contextOf(traceparent: unknown): Context {
  const parent = parseTraceparent(traceparent);
  return parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

export function traceparentOf(span: Span): string | undefined {
  const context = span.spanContext();
  if (!isSpanContextValid(context)) return undefined;
  return `00-${context.traceId}-${context.spanId}-0${context.traceFlags & TraceFlags.SAMPLED}`;
}
