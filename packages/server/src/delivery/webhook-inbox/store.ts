import { sql, type Insertable, type Selectable } from 'kysely';
import { isOfDeletedUser } from '../../events/events.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { tenantColumns, toTenant } from '../../platform/db/tenant-rows.ts';
import type { Environment, Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import type { InboxAnswer } from './schema.ts';
import './table.ts';

type InboxRow = Selectable<Database['webhook_inbox']>;
type ReceivedRow = Omit<Selectable<Database['webhook_inbox_request']>, 'team_id' | 'body'>;

/** The tenant of a token whose endpoint is enabled; requires a system transaction. */
export async function findTenantOfToken(tx: Tx, digest: Buffer): Promise<Tenant | undefined> {
  const row = await tx
    .selectFrom('webhook_inbox as i')
    .innerJoin('webhook_endpoint as e', (join) =>
      join
        .onRef('e.team_id', '=', 'i.team_id')
        .onRef('e.environment', '=', 'i.environment')
        .onRef('e.id', '=', 'i.endpoint_id'),
    )
    .select(['i.team_id', sql<Environment>`i.environment`.as('environment')])
    .where('i.token_digest', '=', digest)
    .where('e.disabled_at', 'is', null)
    .where('e.deleted_at', 'is', null)
    .executeTakeFirst();
  return row && toTenant(row);
}

const inboxes = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('webhook_inbox')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);

export const findInbox = (work: Work): Promise<InboxRow | undefined> => inboxes(work).executeTakeFirst();

/** The same, locked until this work ends. */
export const lockInbox = (work: Work): Promise<InboxRow | undefined> =>
  inboxes(work).forUpdate().executeTakeFirst();

/** Keeps others from creating the inbox of the tenant until this work ends. */
export async function lockCreation({ tx, tenant }: Work): Promise<void> {
  const lock = `webhook_inbox/${tenant.teamId}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx);
}

/** Puts a new inbox in the place of the one whose endpoint was deleted, with all that it received. */
export async function replaceInbox(
  work: Work,
  { endpointId, digest }: { endpointId: string; digest: Buffer },
): Promise<InboxRow> {
  const { tx, tenant, now } = work;
  await tx
    .deleteFrom('webhook_inbox')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .execute();
  return tx
    .insertInto('webhook_inbox')
    .values({ ...tenantColumns(tenant), endpoint_id: endpointId, token_digest: digest, created_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateAnswer({ tx, tenant }: Work, answer: InboxAnswer): Promise<void> {
  await tx
    .updateTable('webhook_inbox')
    .set({ answer })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .execute();
}

type NewRequest = Omit<Insertable<Database['webhook_inbox_request']>, 'team_id' | 'environment'>;

export async function insertRequest({ tx, tenant }: Work, row: NewRequest): Promise<void> {
  await tx
    .insertInto('webhook_inbox_request')
    .values({ ...tenantColumns(tenant), ...row })
    .execute();
}

/** Keeps an event from being erased until this work ends. Returns whether it exists. */
export async function lockEvent({ tx, tenant }: Work, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('event')
    .select('id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

/** Removes all requests but the newest. */
export async function removeBeyond({ tx, tenant }: Work, kept: number): Promise<void> {
  const { teamId, environment } = tenant;
  await sql`delete from webhook_inbox_request where team_id = ${teamId} and environment = ${environment}
    and id in (select id from webhook_inbox_request where team_id = ${teamId} and environment = ${environment}
      order by id desc offset ${kept})`.execute(tx);
}

/** Removes requests that arrived before a timestamp. Returns when the oldest of the rest arrived. */
export async function removeReceivedBefore(work: Work, before: Date): Promise<Date | undefined> {
  const { tx, tenant } = work;
  await tx
    .deleteFrom('webhook_inbox_request')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('received_at', '<=', before)
    .execute();
  const row = await tx
    .selectFrom('webhook_inbox_request')
    .select(({ fn }) => fn.min('received_at').as('oldest'))
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .executeTakeFirst();
  return row?.oldest ?? undefined;
}

/** Leaves out what is about deleted users. */
const requests = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('webhook_inbox_request as r')
    .leftJoin('event as e', (join) =>
      join
        .onRef('e.team_id', '=', 'r.team_id')
        .onRef('e.environment', '=', 'r.environment')
        .onRef('e.id', '=', 'r.event_id'),
    )
    .select([
      'r.environment',
      'r.id',
      'r.received_at',
      'r.event_id',
      'r.verification',
      'r.answer',
      'r.size_bytes',
      'r.head',
    ])
    .where('r.team_id', '=', tenant.teamId)
    .where('r.environment', '=', tenant.environment)
    .where(({ not }) => not(isOfDeletedUser('e')));

/** Newest first. */
export function listRequests(
  work: Work,
  { before, limit }: { before: string | null; limit: number },
): Promise<ReceivedRow[]> {
  const query = requests(work).orderBy('r.id', 'desc').limit(limit);
  return (before === null ? query : query.where('r.id', '<', before)).execute();
}

export const findRequest = (work: Work, id: string): Promise<(ReceivedRow & { body: Buffer }) | undefined> =>
  requests(work).select('r.body').where('r.id', '=', id).executeTakeFirst();
