import { createHash, randomBytes } from 'node:crypto';
import { readTenant, type App, type Work } from '../../app.ts';
import { audited, type Acting } from '../../management/management.ts';
import { errorCode } from '../../platform/db/transact.ts';
import { DomainError, found, invalidField } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { ConnectionRow } from './connection.ts';
import * as store from './connection-store.ts';
import { checkPlace } from './reach.ts';
import { viewConnection, type ChangeConnection, type CreateConnection } from './schema.ts';
import { sealTls } from './tls.ts';

export const CONNECTIONS_MAX = 100;
const TOKEN_BYTES = 32;
const FACILITY_BYTES = 6;

/** The connection, or a 404. */
export const getConnection = async (work: Work, id: string): Promise<ConnectionRow> =>
  found(await store.findConnection(work, id), 'Lab connection');

/** Connects a laboratory. 409 where these parties are connected already, by whomever. */
export async function createConnection(
  app: App,
  acting: Acting,
  command: CreateConnection,
): Promise<ConnectionRow> {
  requireWhole(command);
  if (command.host !== null) await checkHost(app, acting, command);
  const { tls, ...plain } = command;
  return changing(app, acting, async (work) => {
    if ((await store.listConnections(work)).length >= CONNECTIONS_MAX) {
      throw new DomainError('bad_request', `A team has at most ${CONNECTIONS_MAX} connections`);
    }
    const row = await store.insertConnection(work, {
      ...plain,
      id: newId(),
      our_facility: command.our_facility ?? newFacility(),
      tls_material: sealTls(work.cipher, tls),
      token_digest: null,
    });
    return { value: row, deed: deedOf('create_lab_connection', undefined, row) };
  });
}

/** A name that nobody can guess, so that nobody can ask for results under it beforehand. */
const newFacility = () => `F${randomBytes(FACILITY_BYTES).toString('hex').toUpperCase()}`;

/** Changes what is given. What waits for the connection goes by the new settings. */
export async function changeConnection(
  app: App,
  acting: Acting,
  { id, changes }: { id: string; changes: ChangeConnection },
): Promise<ConnectionRow> {
  const { tls, ...plain } = changes;
  const given = defined(plain);
  if (changes.host != null || changes.uses_tls === false) {
    const known = await readTenant(app, acting.tenant, (work) => getConnection(work, id));
    await checkHost(app, acting, { ...known, ...given });
  }
  return changing(app, acting, async (work) => {
    const before = found(await store.lockConnection(work, id), 'Lab connection');
    requireWhole({ ...before, ...given });
    const material = tls === undefined ? {} : { tls_material: sealTls(work.cipher, tls) };
    const after = await store.updateConnection(work, id, { ...given, ...material });
    return { value: after, deed: deedOf('change_lab_connection', before, after) };
  });
}

/** Ends a connection; its messages stay, and what came before is still taken. */
export const removeConnection = (app: App, acting: Acting, id: string): Promise<ConnectionRow> =>
  changing(app, acting, async (work) => {
    const before = found(await store.lockConnection(work, id), 'Lab connection');
    const gone = { enabled: false, deleted_at: work.now, token_digest: null, tls_material: null };
    const after = await store.updateConnection(work, id, gone);
    return { value: after, deed: deedOf('delete_lab_connection', before, undefined) };
  });

/** A new token for posts by HTTPS; the one before is worth nothing from now on. */
export const rotateToken = (app: App, acting: Acting, id: string): Promise<string> =>
  changing(app, acting, async (work) => {
    const before = found(await store.lockConnection(work, id), 'Lab connection');
    if (before.inbound !== 'https') {
      throw new DomainError('bad_request', 'Only a connection whose results come by https has a token');
    }
    const token = `lab_${randomBytes(TOKEN_BYTES).toString('base64url')}`;
    const after = await store.updateConnection(work, id, { token_digest: tokenDigest(token) });
    return { value: token, deed: deedOf('rotate_lab_connection_token', before, after) };
  });

/** Tokens have so much randomness that a plain digest is enough. */
export const tokenDigest = (token: string): Buffer => createHash('sha256').update(token).digest();

const deedOf = (action: string, before: ConnectionRow | undefined, after: ConnectionRow | undefined) => ({
  action,
  subject: (after ?? before)?.id ?? '',
  before: before && viewConnection(before),
  after: after && viewConnection(after),
});

type Change<T> = (work: Work) => Promise<{ value: T; deed: ReturnType<typeof deedOf> }>;

/** A change with its line in the audit log; parties that are taken become a 409. */
const changing = <T>(app: App, acting: Acting, change: Change<T>): Promise<T> =>
  audited(app, acting, change).catch((error: unknown) => {
    if (errorCode(error) !== UNIQUE_VIOLATION) throw error;
    throw new DomainError('conflict', 'These parties of MSH-3 to MSH-6 are connected already');
  });
const UNIQUE_VIOLATION = '23505';

type Whole = Pick<CreateConnection, 'inbound' | 'outbound' | 'host' | 'port' | 'client_fingerprint'>;

/** What a way cannot do without. */
function requireWhole({ inbound, outbound, host, port, client_fingerprint: fingerprint }: Whole): void {
  const expected = (field: string, msg: string) => invalidField(['body', field], msg);
  if (outbound === 'mllp' && host === null)
    throw expected('host', 'expected a host, because orders go by mllp');
  if (outbound === 'mllp' && port === null)
    throw expected('port', 'expected a port, because orders go by mllp');
  if (fingerprint !== null && inbound !== 'mllp') {
    throw expected('client_fingerprint', 'expected inbound to be mllp with a client certificate');
  }
}

const checkHost = async (
  app: App,
  { tenant }: Acting,
  { host, uses_tls: usesTls }: { host: string | null; uses_tls: boolean },
): Promise<void> => {
  if (host !== null) await checkPlace(app.config, tenant.environment, { host, usesTls });
};

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Without what was left out. */
const defined = <T extends object>(given: T): Partial<Defined<T>> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<Defined<T>>;
