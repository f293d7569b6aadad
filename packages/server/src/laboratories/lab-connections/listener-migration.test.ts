import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { connectLab } from '../../../test/laboratory.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import type { TestTeam } from '../../../test/service.ts';

const service = useTestService();
const MIGRATIONS = new URL('../../../migrations/', import.meta.url);

/** Takes the schema back to what it was before the migration, and returns the migration. */
async function undoMigration(): Promise<string> {
  await service.ownerPool.query(`
    alter table lab_connection drop column listener_port, drop column shared_listener, drop column checks_parties,
      drop column previous_client_fingerprint, drop column previous_client_fingerprint_until,
      drop column previous_token_digest, drop column previous_token_until;
    alter table lab_unclaimed_message drop column connection_id;
    create unique index lab_connection_parties
      on lab_connection (lab_application, lab_facility, our_application, our_facility) where deleted_at is null`);
  const name = (await readdir(MIGRATIONS)).find((file) => file.endsWith('_lab_listener_identities.sql'));
  return readFile(new URL(name ?? 'missing', MIGRATIONS), 'utf8');
}

it('names on the shared port stay with production connections that nobody of another organization had before', async () => {
  const [ada, bob] = [await service.team('production'), await service.team('production')];
  const sandbox = await service.team('sandbox');
  const connect = async (team: TestTeam, facility: string, change: object = {}) =>
    connectLab(team, { lab_facility: facility, our_facility: 'US', ...change });
  const release = async (team: TestTeam, facility: string) => {
    const { id, path } = await connect(team, facility);
    await team.management.delete(path);
    return id;
  };
  const expected: Record<string, boolean> = {};
  expected[(await connect(ada, 'KEPT')).id] = true;
  expected[await release(ada, 'RELEASED')] = true;
  expected[await release(ada, 'BACK')] = false;
  expected[(await connect(ada, 'BACK')).id] = true;
  expected[await release(ada, 'TAKEN')] = false;
  expected[(await connect(bob, 'TAKEN')).id] = false;
  expected[await release(ada, 'PASSED ON')] = false;
  expected[await release(bob, 'PASSED ON')] = true;
  expected[(await connect(sandbox, 'SANDBOX')).id] = false;
  expected[(await connect(bob, 'FILES', { inbound: 'folder' })).id] = false;
  await service.ownerPool.query(`with numbered as (
      select id, row_number() over (order by id) as place from lab_connection where deleted_at is not null)
    update lab_connection c set deleted_at = c.deleted_at + make_interval(secs => place)
    from numbered where numbered.id = c.id`);
  const migration = await undoMigration();
  await service.ownerPool.query(migration);
  const { rows } = await service.ownerPool.query(
    'select id, shared_listener, checks_parties, lab_facility from lab_connection',
  );
  expect(Object.fromEntries(rows.map((row) => [row.id, row.shared_listener]))).toEqual(expected);
  expect(rows.filter((row) => row.checks_parties === false).map((row) => row.lab_facility)).toEqual([
    'FILES',
  ]);
});
