import { AsyncLocalStorage } from 'node:async_hooks';
import {
  TraceFlags,
  type Context,
  type Span,
  type SpanContext,
  isSpanContextValid,
  ROOT_CONTEXT,
  trace,
} from '@opentelemetry/api';

/**
 * The trace context of the running request or job, as the value of its W3C header `traceparent`. It is only entered
 * while traces are exported, so that a service without traces does not pay for it.
 */
const current = new AsyncLocalStorage<string>();

export const currentTraceparent = (): string | undefined => current.getStore();

export const withTraceparent = <T>(traceparent: string, run: () => T): T => current.run(traceparent, run);

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
