import { createHash, randomBytes } from 'node:crypto';
import { readTenant, type App, type Work } from '../../app.ts';
import { runAuditedChange, type TenantChangeContext } from '../../identity/management/management.ts';
import { errorCode } from '../../platform/db/transact.ts';
import { DomainError, requireFound, invalidField } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { LabConnectionRow } from './connection.ts';
import * as store from './connection-store.ts';
import { requireReachableHost } from './reachable-host.ts';
import { viewConnection, type ChangeLabConnection, type CreateLabConnection } from './schema.ts';
import { sealTls } from './tls.ts';

const CONNECTIONS_MAX = 100;
const TOKEN_BYTES = 32;
const FACILITY_BYTES = 6;

/** The connection, or a 404. */
export const getConnection = async (work: Work, id: string): Promise<LabConnectionRow> =>
  requireFound(await store.findConnection(work, id), 'Lab connection');

/** Creates a connection. 409 if any team already has a connection between these parties. */
export async function createConnection(
  app: App,
  acting: TenantChangeContext,
  command: CreateLabConnection,
): Promise<LabConnectionRow> {
  requireComplete(command);
  if (command.host !== null) await checkHost(app, acting, command);
  const { tls, ...plain } = command;
  return applyAuditedChange(app, acting, async (work) => {
    if ((await store.listConnections(work)).length >= CONNECTIONS_MAX) {
      throw new DomainError('bad_request', `A team has at most ${CONNECTIONS_MAX} connections`);
    }
    const row = await store.insertConnection(work, {
      ...plain,
      id: newId(),
      our_facility: command.our_facility ?? generateFacility(),
      tls_material: sealTls(work.cipher, tls),
      token_digest: null,
    });
    return { value: row, deed: toAuditEntry('create_lab_connection', undefined, row) };
  });
}

/** An unguessable name, so that no other team can claim it and receive its results. */
const generateFacility = () => `F${randomBytes(FACILITY_BYTES).toString('hex').toUpperCase()}`;

/** Updates the given fields. Queued messages use the new settings. */
export async function changeConnection(
  app: App,
  acting: TenantChangeContext,
  { id, changes }: { id: string; changes: ChangeLabConnection },
): Promise<LabConnectionRow> {
  const { tls, ...plain } = changes;
  const given = omitUndefined(plain);
  if (changes.host != null || changes.uses_tls === false) {
    const known = await readTenant(app, acting.tenant, (work) => getConnection(work, id));
    await checkHost(app, acting, { ...known, ...given });
  }
  return applyAuditedChange(app, acting, async (work) => {
    const before = requireFound(await store.lockConnection(work, id), 'Lab connection');
    requireComplete({ ...before, ...given });
    const material = tls === undefined ? {} : { tls_material: sealTls(work.cipher, tls) };
    const after = await store.updateConnection(work, id, { ...given, ...material });
    return { value: after, deed: toAuditEntry('change_lab_connection', before, after) };
  });
}

/** Deletes a connection. Its messages stay, and stored ones are still processed. */
export const removeConnection = (
  app: App,
  acting: TenantChangeContext,
  id: string,
): Promise<LabConnectionRow> =>
  applyAuditedChange(app, acting, async (work) => {
    const before = requireFound(await store.lockConnection(work, id), 'Lab connection');
    const gone = { enabled: false, deleted_at: work.now, token_digest: null, tls_material: null };
    const after = await store.updateConnection(work, id, gone);
    return { value: after, deed: toAuditEntry('delete_lab_connection', before, undefined) };
  });

/** Creates a new token for results by HTTPS and revokes the previous one. */
export const rotateToken = (app: App, acting: TenantChangeContext, id: string): Promise<string> =>
  applyAuditedChange(app, acting, async (work) => {
    const before = requireFound(await store.lockConnection(work, id), 'Lab connection');
    if (before.inbound !== 'https') {
      throw new DomainError('bad_request', 'Only a connection with inbound https has a token');
    }
    const token = `lab_${randomBytes(TOKEN_BYTES).toString('base64url')}`;
    const after = await store.updateConnection(work, id, { token_digest: digestToken(token) });
    return { value: token, deed: toAuditEntry('rotate_lab_connection_token', before, after) };
  });

/** Tokens have enough entropy for an unsalted digest. */
export const digestToken = (token: string): Buffer => createHash('sha256').update(token).digest();

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

type LabConnectionChange<T> = (work: Work) => Promise<{ value: T; deed: ReturnType<typeof toAuditEntry> }>;

/** Applies a change and writes its audit entry; 409 if the parties are already connected. */
const applyAuditedChange = <T>(
  app: App,
  acting: TenantChangeContext,
  change: LabConnectionChange<T>,
): Promise<T> =>
  runAuditedChange(app, acting, change).catch((error: unknown) => {
    if (errorCode(error) !== UNIQUE_VIOLATION) throw error;
    throw new DomainError('conflict', 'A connection between these parties (MSH-3 to MSH-6) already exists');
  });
const UNIQUE_VIOLATION = '23505';

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
