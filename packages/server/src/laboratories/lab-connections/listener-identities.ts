import type { App } from '../../app.ts';
import { SERVICE_ACTOR, writeAuditEntry } from '../../identity/management/management.ts';
import { later, MINUTE } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem, isUniqueViolation } from '../../platform/db/transact.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import { listListenerHolders, lockListener, updateListener, type ListenerRow } from './listener-store.ts';

/** What a connection holds of the MLLP listeners, for operators of the deployment. */
export interface ListenerIdentity {
  readonly connectionId: string;
  readonly orgId: string;
  readonly teamId: string;
  readonly environment: string;
  readonly lab: string;
  readonly state: 'enabled' | 'disabled' | 'deleted';
  readonly port: number | null;
  /** Whether the names are on the shared port. */
  readonly isShared: boolean;
  /** MSH-3 to MSH-6. */
  readonly parties: string;
}

/** The connections that hold a port or names on the shared port, or need one, of all tenants. */
export const listListenerIdentities = async (app: App): Promise<ListenerIdentity[]> =>
  (await asSystem(app.db, listListenerHolders)).map((row) => ({
    connectionId: row.id,
    orgId: row.org_id,
    teamId: row.team_id,
    environment: row.environment,
    lab: row.lab,
    state: deletedAt(row) !== null ? 'deleted' : row.enabled ? 'enabled' : 'disabled',
    port: row.listener_port,
    isShared: row.shared_listener,
    parties: [row.lab_application, row.lab_facility, row.our_application, row.our_facility].join('|'),
  }));

/** When the connection was deleted, or its team. */
const deletedAt = (row: ListenerRow): Date | null => row.deleted_at ?? row.team_deleted_at;

/**
 * Puts a connection of a production team on the shared port, where its names identify it. 409 if another connection has
 * these names there, also if it is deleted.
 */
export const shareListener = (app: App, id: string): Promise<void> =>
  changeListener(app, { id, action: 'share_lab_listener' }, (row) => {
    if (row.environment !== 'production')
      throw new DomainError(
        'bad_request',
        'The shared port is for production; a sandbox has ports of its own',
      );
    if (row.deleted_at !== null || row.inbound !== 'mllp')
      throw new DomainError('bad_request', 'Expected a connection with inbound mllp that is not deleted');
    return { shared_listener: true };
  }).catch((error: unknown) => {
    if (!isUniqueViolation(error)) throw error;
    throw new DomainError(
      'conflict',
      'Another connection has these names on the shared port; see `aliquot lab listeners`, and unshare that one first',
    );
  });
/** Takes the names of a connection from the shared port; another connection can then be put there by these names. */
export const unshareListener = (app: App, id: string): Promise<void> =>
  changeListener(app, { id, action: 'unshare_lab_listener' }, (row) => {
    if (!row.shared_listener) throw new DomainError('conflict', 'The connection is not on the shared port');
    return { shared_listener: false };
  });

/** Workers close the listener of a deleted connection within this time after its port was freed. */
const FREE_AFTER_MS = MINUTE;

/** Frees the port of a deleted connection, which can then be given to any other. */
export const freeListenerPort = (app: App, id: string): Promise<void> =>
  changeListener(app, { id, action: 'free_lab_port' }, (row) => {
    if (row.listener_port === null) throw new DomainError('conflict', 'The connection has no port');
    // A worker that still knows the connection as enabled would store messages of the next one in it.
    const at = deletedAt(row);
    if (at === null || at > later(app.clock.now(), -FREE_AFTER_MS))
      throw new DomainError('conflict', 'Expected a connection that was deleted more than a minute ago');
    return { listener_port: null };
  });

type ListenerChange = Pick<Parameters<typeof updateListener>[2], 'listener_port' | 'shared_listener'>;

/** Applies a change of an operator and writes its audit entry, in the organization of the connection. */
const changeListener = (
  app: App,
  { id, action }: { id: string; action: string },
  decide: (row: ListenerRow) => ListenerChange,
): Promise<void> =>
  asSystem(app.db, async (tx) => {
    const before = requireFound(await lockListener(tx, id), 'Lab connection');
    const changes = decide(before);
    await updateListener(tx, { id, now: app.clock.now() }, changes);
    await writeListenerEntry(app, tx, { action, before, after: { ...before, ...changes } });
  });

const toAuditState = ({ listener_port, shared_listener }: ListenerRow) => ({
  listener_port,
  shared_listener,
});

const writeListenerEntry = (
  app: App,
  tx: Tx,
  { action, before, after }: { action: string; before: ListenerRow; after: ListenerRow },
): Promise<void> =>
  writeAuditEntry(tx, {
    ...SERVICE_ACTOR,
    orgId: before.org_id,
    teamId: before.team_id,
    environment: before.environment,
    action,
    subject: before.id,
    before: toAuditState(before),
    after: toAuditState(after),
    at: app.clock.now(),
  });
