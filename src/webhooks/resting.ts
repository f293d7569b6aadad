import type { App } from '../app.ts';
import { later } from '../platform/clock.ts';
import { LEASE_MS } from './claim.ts';

/** Messages that were sent and cannot be written down: they keep their lease until its time is over. */
export interface Resting {
  add(id: string): void;
  ids(): string[];
}

export function openResting({ clock }: Pick<App, 'clock'>): Resting {
  const ends = new Map<string, Date>();
  return {
    add: (id) => void ends.set(id, later(clock.now(), LEASE_MS)),
    ids: () => {
      const now = clock.now();
      for (const [id, end] of ends) {
        if (end <= now) ends.delete(id);
      }
      return [...ends.keys()];
    },
  };
}
