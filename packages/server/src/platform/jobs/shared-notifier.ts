import pg from 'pg';
import type { Platform } from '../work.ts';
import { WAKEUPS, type Wakeup } from './notifier.ts';

const CHANNEL = 'aliquot_bell';
/** Notifications within this time are sent as one: a NOTIFY per commit would make commits wait for each other. */
const BATCH_MS = 10;
const RECONNECT_MS = 1000;

/**
 * Shares notifications between the processes of a split deployment, by LISTEN and NOTIFY on its own connection. A lost
 * connection is reopened; meanwhile the loops still poll.
 */
export async function shareNotifier(app: Platform, pool: pg.Pool): Promise<() => Promise<void>> {
  const waiting = new Set<Wakeup>();
  let closed = false;
  let listening: pg.Client | undefined;
  let heard = false;

  const send = () => {
    for (const ring of waiting) void pool.query('select pg_notify($1, $2)', [CHANNEL, ring]).catch(() => {});
    waiting.clear();
  };
  const silences = WAKEUPS.map((ring) =>
    app.notifier.subscribe(ring, () => {
      if (heard) return;
      if (waiting.size === 0) setTimeout(send, BATCH_MS);
      waiting.add(ring);
    }),
  );
  const listen = async (): Promise<void> => {
    const client = new pg.Client(pool.options);
    client.on('error', () => {});
    client.on('end', () => {
      if (!closed) setTimeout(() => void listen().catch(() => {}), RECONNECT_MS);
    });
    client.on('notification', ({ payload }) => {
      const ring = WAKEUPS.find((name) => name === payload);
      if (!ring) return;
      heard = true;
      app.notifier.notify(ring);
      heard = false;
    });
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    listening = client;
  };
  await listen();
  return async () => {
    closed = true;
    for (const silence of silences) silence();
    await listening?.end().catch(() => {});
  };
}
