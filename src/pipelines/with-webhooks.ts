import type { PlacedEvent } from '../events/events.ts';
import type { Tx } from '../platform/db/database.ts';
import { holdSettings } from './settings-store.ts';

/**
 * The events whose tenants have not switched webhooks off by their preferences. The preferences stay as they are until
 * the transaction ends: webhooks left out here are those that a broker stands in for. Who sets the first ones meanwhile
 * has webhooks still, for which this comes before the brokers.
 */
export async function withWebhooks(tx: Tx, events: readonly PlacedEvent[]): Promise<readonly PlacedEvent[]> {
  const held = await holdSettings(
    tx,
    events.map(({ tenant }) => tenant),
  );
  const off = held.filter(({ enabled }) => !enabled.includes('svix'));
  if (off.length === 0) return events;
  const without = new Set(off.map(({ team_id, environment }) => `${team_id}/${environment}`));
  return events.filter(({ tenant }) => !without.has(`${tenant.teamId}/${tenant.environment}`));
}
