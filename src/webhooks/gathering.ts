import { performance } from 'node:perf_hooks';
import type { Bundle } from './bundle.ts';
import type { Outcome } from './outcome.ts';

/** How long the first of a bundle waits for the last, before each is written down by itself. */
const WITHIN_MS = 1000;

/** Holds the outcomes of a bundle until they are complete, so that they can be written down as one. */
export interface Gathering {
  add(outcome: Outcome): void;
  /** Gives away what it holds. */
  flush(): void;
}

interface Part {
  readonly since: number;
  readonly outcomes: Outcome[];
}

/** Whatever it gives away of one bundle comes in one call, unless its time was over before it was complete. */
export function openGathering(give: (outcomes: readonly Outcome[]) => void): Gathering {
  /** The oldest first. */
  const parts = new Map<Bundle, Part>();
  const late = new WeakSet<Bundle>();
  let timer: NodeJS.Timeout | undefined;

  const release = (before: number) => {
    for (const [bundle, { since, outcomes }] of parts) {
      if (since > before) break;
      parts.delete(bundle);
      late.add(bundle);
      give(outcomes);
    }
  };
  const look = () => {
    timer = undefined;
    release(performance.now() - WITHIN_MS);
    if (parts.size > 0) lookLater();
  };
  const lookLater = () => {
    timer ??= setTimeout(look, WITHIN_MS / 2);
  };
  return {
    add: (outcome) => {
      const { bundle } = outcome.claimed.row;
      if (!bundle || late.has(bundle)) return give([outcome]);
      const part = parts.get(bundle) ?? { since: performance.now(), outcomes: [] };
      part.outcomes.push(outcome);
      if (part.outcomes.length === bundle.size) {
        parts.delete(bundle);
        return give(part.outcomes);
      }
      parts.set(bundle, part);
      lookLater();
    },
    flush: () => {
      clearTimeout(timer);
      release(Infinity);
    },
  };
}
