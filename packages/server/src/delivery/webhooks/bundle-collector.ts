import { performance } from 'node:perf_hooks';
import type { MessageBundle } from './bundle.ts';
import type { AttemptOutcome } from './outcome.ts';

/** How long the first outcome of a bundle waits for the last, before each is recorded individually. */
const WITHIN_MS = 1000;

/** Collects the outcomes of a bundle, so that they can be recorded together. */
interface BundleCollector {
  add(outcome: AttemptOutcome): void;
  /** Releases everything that is collected. */
  flush(): void;
}

interface PartialBundle {
  readonly since: number;
  readonly outcomes: AttemptOutcome[];
}

/**
 * Passes a complete bundle to `give` in one call. After the timeout the collected outcomes are passed on incomplete,
 * and later ones individually.
 */
export function openBundleCollector(give: (outcomes: readonly AttemptOutcome[]) => void): BundleCollector {
  /** The oldest first. */
  const parts = new Map<MessageBundle, PartialBundle>();
  const late = new WeakSet<MessageBundle>();
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
