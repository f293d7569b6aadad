import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useTestService } from '../../../test/service-hooks.ts';
import { migrate } from './migrate.ts';
import {
  contractOf,
  describeIncompatibility,
  schemaReleaseOf,
  type SchemaRelease,
} from './schema-version.ts';

/* Processes of two versions use one database during an upgrade: which may, and which is told that it may not. */

const service = useTestService();
const RELEASE = schemaReleaseOf(new URL('../../../', import.meta.url));
const OURS: SchemaRelease = { ...RELEASE, version: '0.2.0' };
/** A process of the version in package.json runs in these tests; this is the version after it. */
const NEXT = '0.3.0';

const ADDS = `-- Adds a column.
-- Rollback: alter table team drop column added.
alter table team add column added text;`;
const TAKES = `-- Takes the column away again.
-- Rollback: none.
-- Contract: 0.3.0 no longer reads it
alter table team drop column added;`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aliquot-migrations-'));
  await cp(RELEASE.migrations, folder, { recursive: true });
});
afterAll(() => rm(folder, { recursive: true }));

const newer = (version: string): SchemaRelease => ({ version, migrations: pathToFileURL(`${folder}/`) });
const start = (release: SchemaRelease) => migrate(service.ownerPool, release, service.app.log);
const ready = () => service.client({}).get('/readyz');
const doneBy = async (): Promise<string[]> => {
  const { rows } = await service.ownerPool.query<{ name: string }>(
    "select name from kysely_migration where name > '9' order by name",
  );
  return rows.map(({ name }) => name);
};

beforeEach(async () => {
  await rm(join(folder, '9998_takes.sql'), { force: true });
  await writeFile(join(folder, '9997_adds.sql'), ADDS);
});

describe('a database that the next minor version has migrated', () => {
  beforeAll(async () => {
    await writeFile(join(folder, '9997_adds.sql'), ADDS);
    await start(newer(NEXT));
  });

  it('is served further by the processes of this version', async () => {
    expect(await ready()).toMatchObject({ status: 200, json: { status: 'ok' } });
  });

  it('lets a process of this version start, which changes nothing', async () => {
    expect(await start(OURS)).toEqual([]);
    expect(await doneBy()).toEqual(['9997_adds']);
  });

  it('refuses this version if each has a migration that the other one does not know', async () => {
    await service.ownerPool.query(
      "update kysely_migration set name = '9996_of_a_branch' where name = '9997_adds'",
    );
    await expect(start({ ...newer('0.2.0') })).rejects.toThrow(
      /another version of Aliquot: it has the migration 9996_of_a_branch, .* and lacks 9997_adds/,
    );
    await service.ownerPool.query(
      "update kysely_migration set name = '9997_adds' where name = '9996_of_a_branch'",
    );
  });

  it('refuses this version, and makes its processes not ready, when a migration has contracted', async () => {
    await writeFile(join(folder, '9998_takes.sql'), TAKES);
    expect(await start(newer(NEXT))).toEqual(['9998_takes']);
    await expect(start(OURS)).rejects.toThrow(
      /^The database was migrated by Aliquot 0\.3\.0 and needs at least 0\.3\.0; this is 0\.2\.0/,
    );
    expect(await ready()).toMatchObject({
      status: 503,
      json: { detail: expect.stringContaining('needs at least 0.3.0') },
    });
    expect(await doneBy()).toEqual(['9997_adds', '9998_takes']);
  });
});

it.each([
  ['0.2.0', '0.2.0', '0.2.0', undefined],
  ['0.2.9', '0.3.4', '0.2.0', undefined],
  ['0.2.9', '0.3.0-rc.1', '0.2.0', undefined],
  ['0.3.4', '0.3.0', '0.2.0', undefined],
  ['0.4.0', '0.3.0', '0.3.0', undefined],
  ['0.2.9', '0.3.4', '0.3.0', 'needs at least 0.3.0'],
  ['0.2.9', '0.4.0', '0.2.0', 'only the minor version before it'],
  ['0.9.0', '1.0.0', '0.2.0', 'only the minor version before it'],
  ['0.10.0', '0.9.0', '0.9.0', undefined],
])('version %s on a database of %s that needs %s', (version, newest, minimum, reason) => {
  const found = describeIncompatibility(version, { newest, minimum });
  expect(found === undefined ? undefined : reason !== undefined && found.includes(reason)).toBe(
    reason && true,
  );
});

it.each([
  ['-- Drops.\n-- Contract: 0.3.0\ndrop table x;', '0.3.0'],
  ['-- Drops.\n-- Contract: 0.3.0 reads the other one\ndrop table x;', '0.3.0'],
  ['-- Adds.\ncreate table x (id int);\n-- Contract: 0.3.0\n', undefined],
  ['create table x (id int);', undefined],
])('the contract of a migration is read from its head: %j', (text, version) => {
  expect(contractOf(text)).toBe(version);
});
