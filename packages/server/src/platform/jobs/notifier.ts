/** Kinds of new rows: events to fan out, events that got their position, timers, deliveries to send, lab reports and wearable files to read. */
export const WAKEUPS = ['events', 'positions', 'timers', 'deliveries', 'reports', 'uploads'] as const;
export type Wakeup = (typeof WAKEUPS)[number];

/**
 * Wakes loops that wait for rows, after the commit. A lost notification only causes a delay: every listener also polls,
 * because the rows are authoritative, not the notifications.
 */
export interface Notifier {
  notify(ring: Wakeup): void;
  subscribe(ring: Wakeup, listener: () => void): () => void;
}

export function createNotifier(): Notifier {
  const listeners: Record<Wakeup, Set<() => void>> = {
    events: new Set(),
    positions: new Set(),
    timers: new Set(),
    deliveries: new Set(),
    reports: new Set(),
    uploads: new Set(),
  };
  return {
    notify: (ring) => {
      for (const listener of listeners[ring]) listener();
    },
    subscribe: (ring, listener) => {
      listeners[ring].add(listener);
      return () => listeners[ring].delete(listener);
    },
  };
}
