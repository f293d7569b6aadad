import type { Insertable, Updateable } from 'kysely';
import type { MessageParties } from '../../adapters/lab-network/port.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Work } from '../../platform/work.ts';
import { ROUTE_COLUMNS, toLabRoute, type LabConnectionRow, type LabRoute } from './connection.ts';

type NewLabConnection = Omit<
  Insertable<Database['lab_connection']>,
  'team_id' | 'environment' | 'created_at' | 'updated_at' | 'deleted_at'
>;
type LabConnectionChanges = Omit<
  Updateable<Database['lab_connection']>,
  'team_id' | 'environment' | 'id' | 'created_at' | 'updated_at' | 'deleted_at'
>;

const selectOwn = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('lab_connection')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);

const selectConnections = (work: Work) => selectOwn(work).where('deleted_at', 'is', null);
const selectDeleted = (work: Work) => selectOwn(work).where('deleted_at', 'is not', null);

/** All connections of the tenant, newest first; at most CONNECTIONS_MAX. */
export const listConnections = (work: Work): Promise<LabConnectionRow[]> =>
  selectConnections(work).orderBy('id', 'desc').execute();

const DELETED_MAX = 1000;

/** The deleted connections of the tenant, newest first. */
export const listDeletedConnections = (work: Work): Promise<LabConnectionRow[]> =>
  selectDeleted(work).orderBy('id', 'desc').limit(DELETED_MAX).execute();

/** Locks a deleted connection. */
export const lockDeletedConnection = (work: Work, id: string): Promise<LabConnectionRow | undefined> =>
  selectDeleted(work).where('id', '=', id).forUpdate().executeTakeFirst();

export const findConnection = (work: Work, id: string): Promise<LabConnectionRow | undefined> =>
  selectConnections(work).where('id', '=', id).executeTakeFirst();

/** Includes deleted connections: their stored messages are still processed. */
export const findConnectionOfMessage = (
  { tx, tenant }: Work,
  message: { connection_id: string },
): Promise<LabConnectionRow> =>
  tx
    .selectFrom('lab_connection')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', message.connection_id)
    .executeTakeFirstOrThrow();

/** Whether the tenant has or had a connection: results of a deleted one still wait for their review. */
export const hasEverConnected = async ({ tx, tenant }: Work): Promise<boolean> =>
  (await tx
    .selectFrom('lab_connection')
    .select('id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .limit(1)
    .executeTakeFirst()) !== undefined;

/** Locks a connection that is not deleted. */
export const lockConnection = (work: Work, id: string): Promise<LabConnectionRow | undefined> =>
  selectConnections(work).where('id', '=', id).forUpdate().executeTakeFirst();

/** The enabled connections that can send orders to a laboratory, oldest first. */
export const listOutboundConnections = (work: Work, lab: string): Promise<LabConnectionRow[]> =>
  selectConnections(work)
    .where('lab', '=', lab)
    .where('outbound', '!=', 'none')
    .where('enabled', '=', true)
    .orderBy('id')
    .execute();

export const insertConnection = (work: Work, connection: NewLabConnection): Promise<LabConnectionRow> =>
  work.tx
    .insertInto('lab_connection')
    .values({
      ...tenantColumns(work.tenant),
      ...connection,
      created_at: work.now,
      updated_at: work.now,
      deleted_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();

export const updateConnection = (
  { tx, tenant, now }: Work,
  id: string,
  changes: LabConnectionChanges & { deleted_at?: Date | null },
): Promise<LabConnectionRow> =>
  tx
    .updateTable('lab_connection')
    .set({ ...changes, updated_at: now })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** The enabled connections of all tenants; requires a system transaction. */
export const listEnabledConnections = (tx: Tx): Promise<LabConnectionRow[]> =>
  tx
    .selectFrom('lab_connection')
    .selectAll()
    .where('enabled', '=', true)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();

const selectRoutes = (tx: Tx) => tx.selectFrom('lab_connection').select(ROUTE_COLUMNS);

const selectOpenRoutes = (tx: Tx) =>
  selectRoutes(tx).where('enabled', '=', true).where('deleted_at', 'is', null);

/**
 * The connection with these names on the shared port, also if it accepts nothing or is deleted; requires a system
 * transaction.
 */
export const findSharedRoute = async (tx: Tx, parties: MessageParties): Promise<LabRoute | undefined> =>
  toLabRoute(
    await selectRoutes(tx)
      .where('shared_listener', '=', true)
      .where('lab_application', '=', parties.labApplication)
      .where('lab_facility', '=', parties.labFacility)
      .where('our_application', '=', parties.ourApplication)
      .where('our_facility', '=', parties.ourFacility)
      .executeTakeFirst(),
  );

/** A connection by id, also if it accepts nothing or is deleted; requires a system transaction. */
export const findAnyRoute = async (tx: Tx, id: string): Promise<LabRoute | undefined> =>
  toLabRoute(await selectRoutes(tx).where('id', '=', id).executeTakeFirst());

/** The connection of a token, or of the previous one during its grace period; requires a system transaction. */
export const findRouteByToken = async (
  tx: Tx,
  { digest, now }: { digest: Buffer; now: Date },
): Promise<LabRoute | undefined> =>
  toLabRoute(
    await selectOpenRoutes(tx)
      .where('inbound', '=', 'https')
      .where((row) =>
        row.or([
          row('token_digest', '=', digest),
          row.and([row('previous_token_digest', '=', digest), row('previous_token_until', '>', now)]),
        ]),
      )
      .executeTakeFirst(),
  );

/** An enabled connection by id, across tenants; requires a system transaction. */
export const findRouteById = async (tx: Tx, id: string): Promise<LabRoute | undefined> =>
  toLabRoute(await selectOpenRoutes(tx).where('id', '=', id).executeTakeFirst());

const FOLDERS_MAX = 1000;

/** The connections with a polled folder, across tenants; requires a system transaction. */
export async function listFolderRoutes(tx: Tx): Promise<LabRoute[]> {
  const rows = await selectOpenRoutes(tx)
    .where('inbound', '=', 'folder')
    .orderBy('id')
    .limit(FOLDERS_MAX)
    .execute();
  return rows.flatMap((row) => toLabRoute(row) ?? []);
}
