import type { ResourceName } from '../../readings/readings.ts';
import { resourceEvents } from '../events.ts';

/** The interval of new or changed data of a resource. */
export interface ChangedSpan {
  readonly provider: string;
  readonly resource: ResourceName;
  /** Milliseconds since 1970. */
  readonly first: number;
  readonly last: number;
}

/** Collects the spans of a batch, one per provider and resource with events. */
export class ChangedSpans {
  readonly #spans = new Map<string, ChangedSpan>();

  /** Timestamps may be in any order; an empty list has no effect. */
  widen(provider: string, resource: string, moments: readonly number[]): void {
    if (!hasEvents(resource) || moments.length === 0) return;
    const key = `${provider}/${resource}`;
    const known = this.#spans.get(key);
    const first = moments.reduce((least, at) => Math.min(least, at), known?.first ?? Infinity);
    const last = moments.reduce((most, at) => Math.max(most, at), known?.last ?? -Infinity);
    this.#spans.set(key, { provider, resource, first, last });
  }

  /** A fixed order, which prevents deadlocks between writers. */
  all(): ChangedSpan[] {
    return [...this.#spans].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, span]) => span);
  }
}

export const hasEvents = (resource: string): resource is ResourceName =>
  Object.hasOwn(resourceEvents, resource);
