import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNodeStorage, openNode } from '../../test/nodes.ts';
import { migrate } from '../platform/db/migrate.ts';
import { schemaReleaseOf } from '../platform/db/schema-version.ts';
import { newId } from '../platform/ids.ts';
import { openLog } from '../platform/log.ts';
import type { OpenedApp } from '../service.ts';
import { fanOut } from './fan-out.ts';

const RELEASE = schemaReleaseOf(new URL('../../', import.meta.url));
const { migrations: MIGRATIONS } = RELEASE;
const UPGRADE = '_event_positions_per_team.sql';

/** Teams of the older version: two with events, one without. */
const [busy, quiet, silent] = [newId(), newId(), newId()];
/** Created after the upgrade. */
const newcomer = newId();
const orgId = newId();

let folder: string;
let owner: pg.Pool;
let node: OpenedApp;

/** A database as an older version left it, with one sequence for all teams, and then as this version finds it. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aliquot-migrations-'));
  const files = (await readdir(MIGRATIONS)).toSorted();
  const upgrade = files.findIndex((file) => file.endsWith(UPGRADE));
  for (const file of files.slice(0, upgrade)) await copyFile(new URL(file, MIGRATIONS), join(folder, file));
  const storage = await createNodeStorage('nothing');
  owner = new pg.Pool({ connectionString: storage.url, max: 2 });
  owner.on('error', () => {});
  owner.on('connect', (client) => client.on('error', () => {}));
  const log = openLog('silent');
  await migrate(owner, { ...RELEASE, migrations: pathToFileURL(`${folder}/`) }, log);
  await owner.query(`insert into organization (id, name, created_at) values ($1, 'An organization', now())`, [
    orgId,
  ]);
  for (const teamId of [busy, quiet, silent]) await addTeam(teamId);
  for (const teamId of [busy, quiet, busy, busy, quiet, busy]) await write(teamId, 'placed');
  // The newest of all is erased: its position stays taken, because somebody may hold it as a cursor.
  await owner.query('delete from event where position = 6');
  await write(busy, 'waiting');
  await migrate(owner, RELEASE, log);
  node = await openNode(storage, 'worker');
}, 120_000);
afterAll(async () => {
  await node.close();
  await owner.end();
  await rm(folder, { recursive: true });
});

async function addTeam(teamId: string): Promise<void> {
  await owner.query(
    `insert into team (id, org_id, name, region, created_at) values ($1, $2, 'A team', 'us', now())`,
    [teamId, orgId],
  );
  await owner.query(
    `insert into team_environment (team_id, environment, created_at) values ($1, 'sandbox', now())`,
    [teamId],
  );
}

/** Writes an event, with the position that the older version gives it or without one yet. */
async function write(teamId: string, state: 'placed' | 'waiting'): Promise<void> {
  const position = state === 'placed' ? `nextval('event_position_seq')` : 'null';
  await owner.query(
    `insert into event (team_id, environment, id, event_type, data, created_at, position)
     values ($1, 'sandbox', $2, 'test.something.happened', '', now(), ${position})`,
    [teamId, newId()],
  );
}

const positionsOf = async (teamId: string): Promise<(number | null)[]> =>
  (
    await owner.query('select position::int from event where team_id = $1 order by position nulls last', [
      teamId,
    ])
  ).rows.map(({ position }) => position);

it('positions of an older version stay, its teams continue above all of them, and a new team begins with 1', async () => {
  expect(await Promise.all([busy, quiet, silent].map(positionsOf))).toEqual([[1, 3, 4, null], [2, 5], []]);
  await addTeam(newcomer);
  for (const teamId of [quiet, silent, newcomer, newcomer]) await write(teamId, 'waiting');
  expect(await fanOut(node.app, [])).toBe(5);
  expect(await Promise.all([busy, quiet, silent, newcomer].map(positionsOf))).toEqual([
    [1, 3, 4, 7],
    [2, 5, 7],
    [7],
    [1, 2],
  ]);
});
