import { describe, expect, it } from 'vitest';
import { address, order, patient } from '../../test/examples.ts';
import { findLabTestId } from '../../test/orders.ts';
import type { TestTeam } from '../../test/service.ts';
import { useTestService } from '../../test/service-hooks.ts';
import { inTenant } from '../app.ts';
import { fetchFile, keepFile } from '../lab-reports/files.ts';
import { generationOf } from '../platform/crypto/cipher.ts';
import { advanceRotations, KEY_PROPAGATION_MS } from './rotate.ts';
import { PLAIN_COLUMNS, SEALED_COLUMNS } from './sealed-columns.ts';

const service = useTestService();

const pathOf = ({ orgId, tenant }: TestTeam) =>
  `/v1/org/${orgId}/team/${tenant.teamId}/${tenant.environment}/data_key`;

const startRotation = (team: TestTeam) => team.management.post(`${pathOf(team)}/rotate`);
const rotation = async (team: TestTeam) => (await team.management.get(pathOf(team))).json.rotation;

/** Advances the rotation until it waits for its time, concurrently with the loop of the test service. */
async function advanceUntil(team: TestTeam, isThere: (state: { state: string; round: number }) => boolean) {
  for (let n = 0; n < 2000; n += 1) {
    await advanceRotations(service.app);
    const now = await rotation(team);
    if (isThere(now)) return now;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`It never came so far: ${JSON.stringify(await rotation(team))}`);
}

async function finishRotation(team: TestTeam) {
  service.clock.move(KEY_PROPAGATION_MS);
  await advanceUntil(team, ({ state, round }) => state === 'sealing' && round > 0);
  service.clock.move(KEY_PROPAGATION_MS);
  return advanceUntil(team, ({ state }) => state === 'done' || state === 'stuck');
}

const demographics = { ...patient, address };
const insurance = {
  payor_code: 'AQ-00001',
  member_id: 'M1',
  relationship: 'Self',
  insured: demographics,
};

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** For each sealed column with values, the generations of the keys that sealed them. */
async function generations(team: TestTeam): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>();
  for (const column of SEALED_COLUMNS) {
    const [table, name] = column.split('.');
    const { rows } = await service.ownerPool.query(
      `select distinct aliquot_sealed_by(${name}) as by from ${table}
       where team_id = $1 and environment = $2 and ${name} is not null order by 1`,
      [team.tenant.teamId, team.tenant.environment],
    );
    if (rows.length > 0)
      found.set(
        column,
        rows.map(({ by }) => by),
      );
  }
  return found;
}

/** A patient with a result, and all data that are sealed on the way there. */
async function createPatientData(team: TestTeam) {
  const endpoint = await team.endpoint();
  const userId = await team.user();
  const testId = await findLabTestId(team, 'walk_in_test');
  const placed = await team.post('/v3/order', order(userId, testId), { 'x-idempotency-key': userId });
  const orderId: string = placed.json.order.id;
  const done = [
    placed,
    await team.patch(`/v2/user/${userId}`, { fallback_birth_date: '1990-05-17' }),
    await team.patch(`/v2/user/${userId}/info`, demographics),
    await team.post(`/v2/user/${userId}/insurance`, insurance),
    await team.post(`/v3/order/${orderId}/test?final_status=completed.walk_in_test.completed`),
  ];
  expect(done.filter(({ status }) => status >= 300)).toEqual([]);
  await service.settle();
  const reads = [
    `/v2/user/${userId}`,
    `/v2/user/${userId}/info/latest`,
    `/v3/order/${orderId}`,
    `/v3/order/${orderId}/result`,
  ];
  return { endpoint, userId, orderId, reads };
}

const readAll = (team: TestTeam, reads: readonly string[]) =>
  Promise.all(reads.map(async (path) => (await team.get(path)).text));

describe('the list of sealed columns', () => {
  it('names every bytea column of a tenant as sealed or plain', async () => {
    const { rows } = await service.ownerPool.query<{ name: string }>(`
      select c.table_name || '.' || c.column_name as name from information_schema.columns c
      where c.table_schema = 'public' and c.data_type = 'bytea' and exists (
        select from information_schema.columns t
        where t.table_name = c.table_name and t.table_schema = 'public' and t.column_name = 'environment')`);
    expect(rows.map(({ name }) => name).toSorted()).toEqual([...SEALED_COLUMNS, ...PLAIN_COLUMNS].toSorted());
  });

  it('names none that PostgreSQL tries to compress in vain', async () => {
    const { rows } = await service.ownerPool.query<{ name: string }>(`
      select attrelid::regclass || '.' || attname as name from pg_attribute where attstorage <> 'e'`);
    const packed = new Set(rows.map(({ name }) => name));
    expect(SEALED_COLUMNS.filter((name) => packed.has(name))).toEqual([]);
  });
});

describe('the rotation of a data key', () => {
  it('reseals everything without changing any response', async () => {
    const team = await service.team();
    const { endpoint, userId, orderId, reads } = await createPatientData(team);
    const before = await readAll(team, reads);
    const bytes = Buffer.from('a report '.repeat(20_000));
    const file = await keepFile(service.app, team.tenant, one(bytes));
    expect((await generations(team)).size).toBeGreaterThan(9);

    expect((await startRotation(team)).json).toMatchObject({
      generation: 2,
      state: 'announced',
      resealed: 0,
    });
    expect((await startRotation(team)).status).toBe(409);
    const end = await finishRotation(team);

    expect(end).toMatchObject({ state: 'done', hindrance: null });
    for (const moment of [end.announced_at, end.switched_at, end.finished_at])
      expect(moment).toMatch(/T\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
    expect(end.resealed).toBeGreaterThan(10);
    expect([...new Set([...(await generations(team)).values()].flat())]).toEqual([2]);
    expect(await readAll(team, reads)).toEqual(before);
    expect((await fetchFile(service.app, team.tenant, file)).equals(bytes)).toBe(true);

    const told = endpoint.received.length;
    await team.post(`/v2/user`, { client_user_id: 'after' });
    await team.post(`/v3/order/${orderId}/cancel`);
    await team.patch(`/v2/user/${userId}`, { fallback_birth_date: '1991-01-01' });
    await service.settle();
    expect(endpoint.received.length).toBeGreaterThanOrEqual(told);
    expect((await team.get(`/v2/user/${userId}`)).json.fallback_birth_date.value).toBe('1991-01-01');
  });

  it('can be repeated, and a digest finds values of an earlier key', async () => {
    const team = await service.team();
    const userId = await team.user();
    await team.patch(`/v2/user/${userId}/info`, demographics);
    const index = () =>
      service.ownerPool
        .query('select email_index from user_info where user_id = $1', [userId])
        .then(({ rows }) => rows[0]);
    const first = await index();
    for (const generation of [2, 3]) {
      expect((await startRotation(team)).json.generation).toBe(generation);
      expect((await finishRotation(team)).state).toBe('done');
    }
    expect((await generations(team)).get('user_info.document')).toEqual([3]);
    await team.patch(`/v2/user/${userId}/info`, demographics);
    expect(await index()).toEqual(first);
  });

  it('does not overwrite values that change concurrently', async () => {
    const team = await service.team();
    const userId = await team.user();
    await team.patch(`/v2/user/${userId}`, { fallback_birth_date: '1990-05-17' });
    const newer = await inTenant(service.app, team.tenant, async ({ cipher }) =>
      cipher.seal('2001-02-03', 'app_user.fallback_birth_date'),
    );
    expect(generationOf(newer)).toBe(1);
    await startRotation(team);
    const client = await service.ownerPool.connect();
    try {
      await client.query('begin');
      await client.query('update app_user set fallback_birth_date = $2 where id = $1', [userId, newer]);
      service.clock.move(KEY_PROPAGATION_MS);
      const under = advanceUntil(team, ({ round }) => round > 0);
      await expect.poll(() => countWaiting()).toBeGreaterThan(0);
      await client.query('commit');
      await under;
    } finally {
      client.release();
    }
    service.clock.move(KEY_PROPAGATION_MS);
    await advanceUntil(team, ({ state }) => state === 'done');
    expect((await team.get(`/v2/user/${userId}`)).json.fallback_birth_date.value).toBe('2001-02-03');
    expect((await generations(team)).get('app_user.fallback_birth_date')).toEqual([2]);
  });

  it('reports what cannot be decrypted, keeps the older key, and continues after a repair', async () => {
    const team = await service.team();
    const [userId, other] = [await team.user(), await team.user()];
    for (const id of [userId, other])
      await team.patch(`/v2/user/${id}`, { fallback_birth_date: '1990-05-17' });
    const sealed = 'select fallback_birth_date as value from app_user where id = $1';
    const write = 'update app_user set fallback_birth_date = $2 where id = $1';
    const [{ value }] = (await service.ownerPool.query(sealed, [userId])).rows;
    const broken = Buffer.from(value);
    broken[broken.length - 1] = (broken.at(-1) ?? 0) ^ 1;
    await service.ownerPool.query(write, [userId, broken]);

    await startRotation(team);
    expect(await finishRotation(team)).toMatchObject({
      state: 'stuck',
      hindrance: `app_user.fallback_birth_date of ${userId} cannot be decrypted`,
    });
    expect((await team.get(`/v2/user/${other}`)).json.fallback_birth_date.value).toBe('1990-05-17');
    expect((await service.ownerPool.query(sealed, [userId])).rows[0].value).toEqual(broken);

    await service.ownerPool.query(write, [userId, value]);
    expect((await startRotation(team)).json).toMatchObject({ generation: 2, state: 'sealing' });
    expect(await advanceUntil(team, ({ state }) => state === 'done')).toMatchObject({ hindrance: null });
    expect((await team.get(`/v2/user/${userId}`)).json.fallback_birth_date.value).toBe('1990-05-17');
  });
});

/** The number of statements that wait for a row lock. */
const countWaiting = async (): Promise<number> => {
  const { rows } = await service.ownerPool.query(
    "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows[0].n;
};
