import { sql, type RawBuilder } from 'kysely';
import type { Work } from '../platform/work.ts';
import { ofDeletedUser } from '../events/events.ts';
import './table.ts';

/** A part of what waits for an endpoint: what comes due first. */
interface Part {
  readonly endpointId: string;
  readonly limit: number;
}

const owed = sql`d.status = 'pending'`;
/** Held, and not because of a user who was deleted. */
const heldForEndpoint = sql`d.status = 'held' and not exists (select from event v
  where v.team_id = d.team_id and v.environment = d.environment and v.id = d.event_id and ${ofDeletedUser('v')})`;

/** Of a message `d`. */
const ofEndpoint = ({ tenant }: Work, endpointId: string) =>
  sql`d.team_id = ${tenant.teamId} and d.environment = ${tenant.environment} and d.endpoint_id = ${endpointId}`;

const move = async (
  work: Work,
  { endpointId, limit, from, to }: Part & { from: RawBuilder<unknown>; to: 'pending' | 'held' },
): Promise<void> =>
  void (await sql`
    with part as materialized (
      select d.id from webhook_delivery d where ${ofEndpoint(work, endpointId)} and ${from}
      order by d.due_wall limit ${limit})
    update webhook_delivery d set status = ${to} from part
    where ${ofEndpoint(work, endpointId)} and d.id = part.id and ${from}`.execute(work.tx));

/** What is owed to a disabled endpoint waits apart, so that senders do not step over it. */
export const holdPart = (work: Work, part: Part): Promise<void> =>
  move(work, { ...part, from: owed, to: 'held' });

export const releasePart = (work: Work, part: Part): Promise<void> =>
  move(work, { ...part, from: heldForEndpoint, to: 'pending' });

const exists = async ({ tx }: Work, some: RawBuilder<unknown>): Promise<boolean> =>
  (await sql<{ any: boolean }>`select ${some} as any`.execute(tx)).rows[0]?.any === true;

export const isSomethingOwed = (work: Work, endpointId: string): Promise<boolean> =>
  exists(
    work,
    sql`exists (select from webhook_delivery d where ${ofEndpoint(work, endpointId)} and ${owed})
      or exists (select from webhook_bundle d where ${ofEndpoint(work, endpointId)})`,
  );

export const isSomethingHeld = (work: Work, endpointId: string): Promise<boolean> =>
  exists(
    work,
    sql`exists (select from webhook_delivery d where ${ofEndpoint(work, endpointId)} and ${heldForEndpoint})`,
  );
