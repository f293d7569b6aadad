import { randomBytes } from 'node:crypto';
import { digestToken, newSecretToken } from '../../platform/crypto/secret-token.ts';
import { inTenant, readTenant, type App, type Work } from '../../app.ts';
import { runAuditedChange, type TenantChangeContext } from '../../identity/management/management.ts';
import { HOUR, later } from '../../platform/clock.ts';
import { DomainError, requireFound, invalidField } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { LabConnectionRow } from './connection.ts';
import * as store from './connection-store.ts';
import { withListenerPort } from './listener-ports.ts';
import { requireReachableHost } from './reachable-host.ts';
import { viewConnection, type ChangeLabConnection, type CreateLabConnection } from './schema.ts';
import { sealTls } from './tls.ts';

const CONNECTIONS_MAX = 100;
const FACILITY_BYTES = 6;

/** The connection, or a 404. */
export const getConnection = async (work: Work, id: string): Promise<LabConnectionRow> =>
  requireFound(await store.findConnection(work, id), 'Lab connection');

/** Creates a connection. One that receives by MLLP gets a port of its own. */
export async function createConnection(
  app: App,
  acting: TenantChangeContext,
  command: CreateLabConnection,
): Promise<LabConnectionRow> {
  requireComplete(command);
  if (command.host !== null) await checkHost(app, acting, command);
  const { tls, ...plain } = command;
  const create = (port: number | null) =>
    runAuditedChange(app, acting, async (work) => {
      await requireRoom(work);
      const row = await store.insertConnection(work, {
        ...plain,
        id: newId(),
        our_facility: command.our_facility ?? generateFacility(),
        listener_port: port,
        tls_material: sealTls(work.cipher, tls),
        token_digest: null,
      });
      return { value: row, deed: toAuditEntry('create_lab_connection', undefined, row) };
    });
  return command.inbound === 'mllp' ? withListenerPort(app, toPortRequest(acting), create) : create(null);
}

const toPortRequest = ({ tenant, orgId }: TenantChangeContext) => ({
  environment: tenant.environment,
  orgId,
});

async function requireRoom(work: Work): Promise<void> {
  if ((await store.listConnections(work)).length < CONNECTIONS_MAX) return;
  throw new DomainError('bad_request', `A team has at most ${CONNECTIONS_MAX} connections`);
}

/** A name that a laboratory cannot confuse with that of another connection. */
const generateFacility = () => `F${randomBytes(FACILITY_BYTES).toString('hex').toUpperCase()}`;

/** Updates the given fields. Queued messages use the new settings. */
export async function changeConnection(
  app: App,
  acting: TenantChangeContext,
  { id, changes }: { id: string; changes: ChangeLabConnection },
): Promise<LabConnectionRow> {
  const { tls, overlap_hours: overlapHours, ...plain } = changes;
  const given = omitUndefined(plain);
  const known = await readTenant(app, acting.tenant, (work) => getConnection(work, id));
  if (changes.host != null || changes.uses_tls === false)
    await checkHost(app, acting, { ...known, ...given });
  const now = app.clock.now();
  const change = (port: number | null) =>
    runAuditedChange(app, acting, async (work) => {
      const before = requireFound(await store.lockConnection(work, id), 'Lab connection');
      const next = { ...before, ...given };
      requireComplete(next);
      requireOwnParties(before, next);
      const after = await store.updateConnection(work, id, {
        ...given,
        ...(tls === undefined ? {} : { tls_material: sealTls(work.cipher, tls) }),
        ...(needsPort(next) ? { listener_port: port } : {}),
        ...keepPreviousFingerprint(before, next, { overlapHours, now }),
      });
      return { value: after, deed: toAuditEntry('change_lab_connection', before, after) };
    });
  return needsPort({ ...known, ...given })
    ? withListenerPort(app, toPortRequest(acting), change)
    : change(null);
}

type ListenerState = Pick<LabConnectionRow, 'inbound' | 'listener_port' | 'shared_listener'>;

/** The port of a connection that received by MLLP before is still its own. */
const needsPort = ({ inbound, listener_port, shared_listener }: ListenerState): boolean =>
  inbound === 'mllp' && listener_port === null && !shared_listener;

/** On the shared port the names decide whose a message is, so a team cannot change them. */
function requireOwnParties(before: LabConnectionRow, next: LabConnectionRow): void {
  if (!before.shared_listener) return;
  const changed = PARTY_COLUMNS.find((column) => before[column] !== next[column]);
  const field = changed ?? (next.checks_parties ? undefined : 'checks_parties');
  if (field === undefined) return;
  throw invalidField(
    ['body', field],
    'expected no change, because the operator of the deployment has put the connection on the shared port by its names',
  );
}
const PARTY_COLUMNS = ['lab_application', 'lab_facility', 'our_application', 'our_facility'] as const;

/** The replaced certificate stays valid for some time, if the caller asks for it. */
function keepPreviousFingerprint(
  before: LabConnectionRow,
  next: LabConnectionRow,
  { overlapHours, now }: { overlapHours: number | undefined; now: Date },
) {
  if (before.client_fingerprint === next.client_fingerprint) return {};
  const isKept = overlapHours !== undefined && overlapHours > 0 && next.client_fingerprint !== null;
  return {
    previous_client_fingerprint: isKept ? before.client_fingerprint : null,
    previous_client_fingerprint_until: isKept ? later(now, overlapHours * HOUR) : null,
  };
}

/** Deletes a connection. Its messages stay, and stored ones are still processed. It keeps its port and names. */
export function removeConnection(
  app: App,
  acting: TenantChangeContext,
  id: string,
): Promise<LabConnectionRow> {
  const now = app.clock.now();
  return runAuditedChange(app, acting, async (work) => {
    const before = requireFound(await store.lockConnection(work, id), 'Lab connection');
    const after = await store.updateConnection(work, id, {
      enabled: false,
      deleted_at: now,
      token_digest: null,
      previous_token_digest: null,
      previous_token_until: null,
      tls_material: null,
    });
    return { value: after, deed: toAuditEntry('delete_lab_connection', before, undefined) };
  });
}

/** Takes a deleted connection back, with what it still holds: its port, its names on the shared port, its folder. */
export async function restoreConnection(
  app: App,
  acting: TenantChangeContext,
  id: string,
): Promise<LabConnectionRow> {
  const find = (work: Work) => store.lockDeletedConnection(work, id);
  const known = requireFound(await inTenant(app, acting.tenant, find), 'Deleted lab connection');
  const restore = (port: number | null) =>
    runAuditedChange(app, acting, async (work) => {
      const before = requireFound(await find(work), 'Deleted lab connection');
      await requireRoom(work);
      const after = await store.updateConnection(work, id, {
        enabled: true,
        deleted_at: null,
        ...(needsPort(before) ? { listener_port: port } : {}),
      });
      return { value: after, deed: toAuditEntry('restore_lab_connection', undefined, after) };
    });
  return needsPort(known) ? withListenerPort(app, toPortRequest(acting), restore) : restore(null);
}

/** Creates a new token for results by HTTPS. The previous one stays valid for the given time. */
export function rotateToken(
  app: App,
  acting: TenantChangeContext,
  { id, overlapHours }: { id: string; overlapHours: number },
): Promise<string> {
  const until = later(app.clock.now(), overlapHours * HOUR);
  return runAuditedChange(app, acting, async (work) => {
    const before = requireFound(await store.lockConnection(work, id), 'Lab connection');
    if (before.inbound !== 'https') {
      throw new DomainError('bad_request', 'Only a connection with inbound https has a token');
    }
    const token = `lab_${newSecretToken()}`;
    const isKept = overlapHours > 0 && before.token_digest !== null;
    const after = await store.updateConnection(work, id, {
      token_digest: digestToken(token),
      previous_token_digest: isKept ? before.token_digest : null,
      previous_token_until: isKept ? until : null,
    });
    return { value: token, deed: toAuditEntry('rotate_lab_connection_token', before, after) };
  });
}

const toAuditEntry = (
  action: string,
  before: LabConnectionRow | undefined,
  after: LabConnectionRow | undefined,
) => ({
  action,
  subject: (after ?? before)?.id ?? '',
  before: before && viewConnection(before),
  after: after && viewConnection(after),
});

type LabConnectionSettings = Pick<
  CreateLabConnection,
  'inbound' | 'outbound' | 'host' | 'port' | 'client_fingerprint'
>;

/** Checks the fields that a transport requires. */
function requireComplete({
  inbound,
  outbound,
  host,
  port,
  client_fingerprint: fingerprint,
}: LabConnectionSettings): void {
  const expected = (field: string, msg: string) => invalidField(['body', field], msg);
  if (outbound === 'mllp' && host === null)
    throw expected('host', 'expected a host, because outbound is mllp');
  if (outbound === 'mllp' && port === null)
    throw expected('port', 'expected a port, because outbound is mllp');
  if (fingerprint !== null && inbound !== 'mllp') {
    throw expected('client_fingerprint', 'expected null, because inbound is not mllp');
  }
}

const checkHost = async (
  app: App,
  { tenant }: TenantChangeContext,
  { host, uses_tls: usesTls }: { host: string | null; uses_tls: boolean },
): Promise<void> => {
  if (host !== null) await requireReachableHost(app.config, tenant.environment, { host, usesTls });
};

type WithoutUndefined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Removes undefined properties. */
const omitUndefined = <T extends object>(given: T): Partial<WithoutUndefined<T>> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<
    WithoutUndefined<T>
  >;
