/** What may be waiting: events to fan out, timers, deliveries to send, lab reports and wearable files to read. */
export const RINGS = ['events', 'timers', 'deliveries', 'reports', 'uploads'] as const;
export type Ring = (typeof RINGS)[number];

/**
 * Wakes those who wait for rows, after the commit. A bell that nobody hears costs a moment of delay and no more:
 * every listener also looks by itself from time to time, because rows are the truth and rings are not.
 */
export interface Bell {
  ring(ring: Ring): void;
  on(ring: Ring, listener: () => void): () => void;
}

export function openBell(): Bell {
  const listeners: Record<Ring, Set<() => void>> = {
    events: new Set(),
    timers: new Set(),
    deliveries: new Set(),
    reports: new Set(),
    uploads: new Set(),
  };
  return {
    ring: (ring) => {
      for (const listener of listeners[ring]) listener();
    },
    on: (ring, listener) => {
      listeners[ring].add(listener);
      return () => listeners[ring].delete(listener);
    },
  };
}
