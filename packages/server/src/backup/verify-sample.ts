import type pg from 'pg';
import { FileNotFoundError, type FileStorage } from '../adapters/file-storage/port.ts';
import type { App } from '../app.ts';
import { SEALED_COLUMNS } from '../data-keys/data-keys.ts';
import { checkTotpSecrets } from '../identity/factors/factors.ts';
import { organizationCipher } from '../identity/organization-keys/organization-keys.ts';
import { checkClientSecret } from '../identity/single-sign-on/single-sign-on.ts';
import { readMessageBytes } from '../laboratories/lab-connections/lab-connections.ts';
import { openFile } from '../platform/crypto/sealed-file.ts';
import { toTenant, type TenantColumns } from '../platform/db/tenant-rows.ts';
import { asSystem } from '../platform/db/transact.ts';
import { ENVIRONMENTS } from '../platform/tenant.ts';

const VALUES_PER_COLUMN = 20;
/** With this many expected rows, a random sample practically never has none. */
const EXPECTED_ROWS = 100;
const FILES_MAX = 20;
const FILE_BYTES_MAX = 4 * 1024 * 1024;

interface SampleStorage {
  readonly storage: FileStorage;
  /** The sampled files by key. */
  readonly sampled: ReadonlyMap<string, Buffer>;
}

/** A file storage that reads every file to its end, and holds the first small ones in memory. */
export function createSampleStorage(): SampleStorage {
  const sampled = new Map<string, Buffer>();
  const storage: FileStorage = {
    put: async (key, pieces) => {
      let held: Buffer[] | undefined = sampled.size < FILES_MAX ? [] : undefined;
      let size = 0;
      for await (const piece of pieces) {
        size += piece.length;
        if (size > FILE_BYTES_MAX) held = undefined;
        held?.push(piece);
      }
      if (held) sampled.set(key, Buffer.concat(held));
    },
    get: async function* (key) {
      const bytes = sampled.get(key);
      if (!bytes) throw new FileNotFoundError(key);
      yield bytes;
    },
    remove: async (key) => void sampled.delete(key),
    list: async function* () {},
    discardUnfinished: async () => {},
  };
  return { storage, sampled };
}

interface SampleReport {
  readonly opened: number;
  readonly problems: readonly string[];
}

/** Decrypts a random sample of every encrypted column, and the sampled files. */
export async function checkSealedValues(
  app: App,
  ownerPool: pg.Pool,
  files: ReadonlyMap<string, Buffer>,
): Promise<SampleReport> {
  let opened = 0;
  const problems: string[] = [];
  const attempt = async (what: string, open: () => Promise<unknown>) => {
    try {
      await open();
      opened += 1;
    } catch {
      problems.push(`${what} cannot be decrypted`);
    }
  };
  for (const column of SEALED_COLUMNS)
    for (const row of await sampleColumn(ownerPool, column))
      await attempt(`${column} of team ${row.team_id}, ${row.environment}`, async () =>
        (await app.keyring.cipherOf(toTenant(row))).openChunk(row.value, column),
      );
  for (const value of await sampleOutsideTenants(app, ownerPool)) await attempt(value.name, value.open);
  for (const key of files.keys()) await attempt(`file ${key}`, () => openSampledFile(app, key));
  return { opened, problems };
}

interface SealedValueSample extends TenantColumns {
  readonly value: Buffer;
}

async function sampleColumn(ownerPool: pg.Pool, column: string): Promise<SealedValueSample[]> {
  const [table = '', name = ''] = column.split('.');
  const { rows: counted } = await ownerPool.query<{ count: number }>(
    `select count(*)::float8 as count from ${table} where ${name} is not null`,
  );
  const percent = Math.min(100, (100 * EXPECTED_ROWS) / Math.max(1, counted[0]?.count ?? 0));
  const { rows } = await ownerPool.query<SealedValueSample>(
    `select team_id, environment, ${name} as value from ${table} tablesample bernoulli (${percent})
     where ${name} is not null limit ${VALUES_PER_COLUMN}`,
  );
  return rows;
}

interface NamedValue {
  readonly name: string;
  open(): Promise<unknown>;
}

/** Values that are sealed for an organization or for the deployment: keys, secrets of members, unclaimed messages. */
async function sampleOutsideTenants(app: App, ownerPool: pg.Pool): Promise<NamedValue[]> {
  const sample = async <Row extends object>(query: string): Promise<Row[]> =>
    (await ownerPool.query<Row>(`${query} order by random() limit ${VALUES_PER_COLUMN}`)).rows;
  const keys = await sample<{ org_id: string }>('select org_id from organization_key');
  const secrets = await sample<{ member_id: string; org_id: string }>(
    'select t.member_id, m.org_id from member_totp t join organization_member m on m.id = t.member_id',
  );
  const clients = await sample<{ id: string; org_id: string }>('select id, org_id from sso_connection');
  const messages = await sample<{ id: string }>('select id from lab_unclaimed_message');
  return [
    ...keys.map(({ org_id: orgId }) => ({
      name: `organization_key.wrapped_key of ${orgId}`,
      open: () => asSystem(app.db, (tx) => organizationCipher(app, tx, orgId)),
    })),
    ...secrets.map(({ member_id: memberId, org_id: orgId }) => ({
      name: `member_totp.secret of member ${memberId}`,
      open: () => asSystem(app.db, (tx) => checkTotpSecrets(app, tx, { memberId, orgId })),
    })),
    ...clients.map(({ id, org_id: orgId }) => ({
      name: `sso_connection.client_secret of ${id}`,
      open: () => asSystem(app.db, (tx) => checkClientSecret(app, tx, { orgId, id })),
    })),
    ...messages.map(({ id }) => ({
      name: `lab_unclaimed_message.body of ${id}`,
      open: () => readMessageBytes(app, id),
    })),
  ];
}

/** The key of a file is `folder/team/environment/id`. */
async function openSampledFile(app: App, key: string): Promise<void> {
  const [, teamId = '', named] = key.split('/');
  const environment = ENVIRONMENTS.find((one) => one === named);
  if (!environment) throw new Error('Not the key of a file of a team');
  const cipher = await app.keyring.cipherOf({ teamId, environment });
  for await (const piece of openFile({ cipher, name: key }, app.fileStorage.get(key))) void piece;
}
