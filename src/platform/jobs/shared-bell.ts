import pg from 'pg';
import type { Platform } from '../work.ts';
import { RINGS, type Ring } from './bell.ts';

const CHANNEL = 'aliquot_bell';
/** Rings within this time go out as one: a NOTIFY a commit would make commits wait for each other. */
const GATHER_MS = 10;
const RECONNECT_MS = 1000;

/**
 * Lets the processes of a split deployment hear each other's rings, by LISTEN and NOTIFY on a connection of its own.
 * A lost connection is opened again; meanwhile everybody looks by himself, only later.
 */
export async function shareBell(app: Platform, pool: pg.Pool): Promise<() => Promise<void>> {
  const waiting = new Set<Ring>();
  let closed = false;
  let listening: pg.Client | undefined;
  let heard = false;

  const send = () => {
    for (const ring of waiting) void pool.query('select pg_notify($1, $2)', [CHANNEL, ring]).catch(() => {});
    waiting.clear();
  };
  const silences = RINGS.map((ring) =>
    app.bell.on(ring, () => {
      if (heard) return;
      if (waiting.size === 0) setTimeout(send, GATHER_MS);
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
      const ring = RINGS.find((name) => name === payload);
      if (!ring) return;
      heard = true;
      app.bell.ring(ring);
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
