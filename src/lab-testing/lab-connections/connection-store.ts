import type { Insertable, Updateable } from 'kysely';
import type { Parties } from '../../adapters/lab-network/port.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Work } from '../../platform/work.ts';
import { ROUTE, routeOf, type ConnectionRow, type Route } from './connection.ts';

export type NewConnection = Omit<
  Insertable<Database['lab_connection']>,
  'team_id' | 'environment' | 'created_at' | 'updated_at' | 'deleted_at'
>;
export type ConnectionChanges = Omit<
  Updateable<Database['lab_connection']>,
  'team_id' | 'environment' | 'id' | 'created_at' | 'updated_at' | 'deleted_at'
>;

const connections = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('lab_connection')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('deleted_at', 'is', null);

/** All of the tenant's, newest first; a handful. */
export const listConnections = (work: Work): Promise<ConnectionRow[]> =>
  connections(work).orderBy('id', 'desc').execute();

export const findConnection = (work: Work, id: string): Promise<ConnectionRow | undefined> =>
  connections(work).where('id', '=', id).executeTakeFirst();

/** One that was taken away, too: what came by it is still to be taken. */
export const findConnectionOf = (
  { tx, tenant }: Work,
  message: { connection_id: string },
): Promise<ConnectionRow> =>
  tx
    .selectFrom('lab_connection')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', message.connection_id)
    .executeTakeFirstOrThrow();

/** A living one, for one who changes it. */
export const lockConnection = (work: Work, id: string): Promise<ConnectionRow | undefined> =>
  connections(work).where('id', '=', id).forUpdate().executeTakeFirst();

/** The lines by which orders of a laboratory can go out, oldest first. */
export const listOutgoing = (work: Work, lab: string): Promise<ConnectionRow[]> =>
  connections(work)
    .where('lab', '=', lab)
    .where('outbound', '!=', 'none')
    .where('enabled', '=', true)
    .orderBy('id')
    .execute();

export const insertConnection = (work: Work, connection: NewConnection): Promise<ConnectionRow> =>
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
  changes: ConnectionChanges & { deleted_at?: Date },
): Promise<ConnectionRow> =>
  tx
    .updateTable('lab_connection')
    .set({ ...changes, updated_at: now })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

const routes = (tx: Tx) =>
  tx.selectFrom('lab_connection').select(ROUTE).where('enabled', '=', true).where('deleted_at', 'is', null);

/** The connection between these parties, over all tenants; for the system. */
export const findByParties = async (tx: Tx, parties: Parties): Promise<Route | undefined> =>
  routeOf(
    await routes(tx)
      .where('inbound', '=', 'mllp')
      .where('lab_application', '=', parties.labApplication)
      .where('lab_facility', '=', parties.labFacility)
      .where('our_application', '=', parties.ourApplication)
      .where('our_facility', '=', parties.ourFacility)
      .executeTakeFirst(),
  );

/** The connection that a token belongs to, over all tenants; for the system. */
export const findByToken = async (tx: Tx, digest: Buffer): Promise<Route | undefined> =>
  routeOf(
    await routes(tx).where('inbound', '=', 'https').where('token_digest', '=', digest).executeTakeFirst(),
  );

/** A living connection by its id, over all tenants; for the system. */
export const findById = async (tx: Tx, id: string): Promise<Route | undefined> =>
  routeOf(await routes(tx).where('id', '=', id).executeTakeFirst());

const FOLDERS_MAX = 1000;

/** Those whose folder is looked into, over all tenants; for the system. */
export async function listFolders(tx: Tx): Promise<Route[]> {
  const rows = await routes(tx).where('inbound', '=', 'folder').orderBy('id').limit(FOLDERS_MAX).execute();
  return rows.flatMap((row) => routeOf(row) ?? []);
}
