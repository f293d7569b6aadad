import type { App } from '../../app.ts';
import { later } from '../../platform/clock.ts';
import { LEASE_MS } from './claim.ts';

/**
 * Messages that were sent but cannot be recorded: they keep their lease until it ends, so that they are not sent again
 * at once.
 */
interface ParkedMessages {
  add(id: string): void;
  ids(): string[];
}

export function openParkedMessages({ clock }: Pick<App, 'clock'>): ParkedMessages {
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
