import { sql, type RawBuilder } from 'kysely';
import type { Work } from '../../platform/work.ts';
import { isOfDeletedUser } from '../../events/events.ts';
import './table.ts';

/** A batch of the messages of an endpoint: those due first. */
interface QueueBatch {
  readonly endpointId: string;
  readonly limit: number;
}

const isPending = sql`d.status = 'pending'`;
/** Held because of the endpoint, and not because of a deleted user. */
const isHeldForEndpoint = sql`d.status = 'held' and not exists (select from event v
  where v.team_id = d.team_id and v.environment = d.environment and v.id = d.event_id and ${isOfDeletedUser('v')})`;

/** The condition for messages `d` of an endpoint. */
const ofEndpoint = ({ tenant }: Work, endpointId: string) =>
  sql`d.team_id = ${tenant.teamId} and d.environment = ${tenant.environment} and d.endpoint_id = ${endpointId}`;

const move = async (
  work: Work,
  { endpointId, limit, from, to }: QueueBatch & { from: RawBuilder<unknown>; to: 'pending' | 'held' },
): Promise<void> =>
  void (await sql`
    with part as materialized (
      select d.id from webhook_delivery d where ${ofEndpoint(work, endpointId)} and ${from}
      order by d.due_wall limit ${limit})
    update webhook_delivery d set status = ${to} from part
    where ${ofEndpoint(work, endpointId)} and d.id = part.id and ${from}`.execute(work.tx));

/** Holds messages of a disabled endpoint, so that senders do not have to skip them. */
export const holdBatch = (work: Work, part: QueueBatch): Promise<void> =>
  move(work, { ...part, from: isPending, to: 'held' });

export const releaseBatch = (work: Work, part: QueueBatch): Promise<void> =>
  move(work, { ...part, from: isHeldForEndpoint, to: 'pending' });

const exists = async ({ tx }: Work, some: RawBuilder<unknown>): Promise<boolean> =>
  (await sql<{ any: boolean }>`select ${some} as any`.execute(tx)).rows[0]?.any === true;

export const hasPending = (work: Work, endpointId: string): Promise<boolean> =>
  exists(
    work,
    sql`exists (select from webhook_delivery d where ${ofEndpoint(work, endpointId)} and ${isPending})
      or exists (select from webhook_bundle d where ${ofEndpoint(work, endpointId)})`,
  );

export const hasHeld = (work: Work, endpointId: string): Promise<boolean> =>
  exists(
    work,
    sql`exists (select from webhook_delivery d where ${ofEndpoint(work, endpointId)} and ${isHeldForEndpoint})`,
  );
