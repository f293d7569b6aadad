import type { ResourceName } from '../resources.ts';
import { resourceEvents } from '../events.ts';

/** Over what time something is new or changed. */
export interface Span {
  readonly provider: string;
  readonly resource: ResourceName;
  /** Milliseconds since 1970. */
  readonly first: number;
  readonly last: number;
}

/** Spans of a batch, one for each provider and resource of which anybody is told. */
export class Spans {
  readonly #spans = new Map<string, Span>();

  /** Moments in any order; none widen nothing. */
  widen(provider: string, resource: string, moments: readonly number[]): void {
    if (!isTold(resource) || moments.length === 0) return;
    const key = `${provider}/${resource}`;
    const known = this.#spans.get(key);
    const first = moments.reduce((least, at) => Math.min(least, at), known?.first ?? Infinity);
    const last = moments.reduce((most, at) => Math.max(most, at), known?.last ?? -Infinity);
    this.#spans.set(key, { provider, resource, first, last });
  }

  /** Everybody goes through them in this order. */
  all(): Span[] {
    return [...this.#spans].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, span]) => span);
  }
}

export const isTold = (resource: string): resource is ResourceName => Object.hasOwn(resourceEvents, resource);
