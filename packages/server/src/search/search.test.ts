import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { copyOrders } from '../../test/copied-orders.ts';
import { joinOrganization, signedIn } from '../../test/members.ts';
import { createOrder } from '../../test/orders.ts';
import { useTestService, useTestTeam } from '../../test/service-hooks.ts';
import type { ApiClient, TestTeam } from '../../test/service.ts';
import { readTenant, type Work } from '../app.ts';
import { SEARCH_RULES, toSearchTerms } from './find.ts';

const service = useTestService();
const team = useTestTeam(service);

interface Found {
  kind: string;
  id: string;
  title: string;
  detail: string | null;
  user_id: string | null;
}

async function search(caller: ApiClient, text: string, headers?: Record<string, string>): Promise<Found[]> {
  const { status, json } = await caller.get(`/v1/search?q=${encodeURIComponent(text)}`, headers);
  expect(status).toBe(200);
  return json.data;
}
const ofKind = (found: Found[], kind: string) => found.filter((one) => one.kind === kind);

const ADA = {
  first_name: 'Augusta',
  last_name: 'Byron',
  email: 'Augusta.Byron@example.com',
  phone_number: '+14155552671',
  gender: 'female',
  dob: '1990-12-10',
  address: { first_line: '1 Market Street', city: 'San Francisco', state: 'CA', zip: '94105', country: 'US' },
};

describe('a search', () => {
  let userId: string;
  let orderId: string;
  beforeAll(async () => {
    userId = await team.user('clinic-4711');
    await team.patch(`/v2/user/${userId}/info`, ADA);
    orderId = await createOrder(team, 'testkit', { user_id: userId });
  });

  it('finds a user by id, client_user_id, e-mail and the name of a patient', async () => {
    const user = { kind: 'user', id: userId, title: 'Augusta Byron', detail: 'clinic-4711' };
    // The patient on the order is Ada Lovelace.
    for (const text of [
      userId,
      userId.slice(0, 18),
      'clinic-47',
      'augusta.byron@EXAMPLE.com',
      'lovelace',
      'ada lo',
    ])
      expect(ofKind(await search(team, text), 'user'), text).toMatchObject([user]);
    for (const text of ['linic-47', 'ovelace', 'augusta.byron@example.org', 'zz'])
      expect(ofKind(await search(team, text), 'user'), text).toEqual([]);
  });

  it('finds an order by id, sample id and tracking number', async () => {
    await service.ownerPool.query(`update lab_order set sample_id = 'S-0042' where id = $1`, [orderId]);
    await service.ownerPool.query(
      `insert into parcel (team_id, environment, order_id, leg, service, courier, tracking_number, created_at)
       values ($1, 'sandbox', $2, 'outbound', 'simulated', 'usps', '9400-TRACK', now())`,
      [team.tenant.teamId, orderId],
    );
    const order = { id: orderId, user_id: userId, detail: expect.stringMatching(/^received\.testkit\./) };
    for (const text of [orderId, orderId.slice(0, 20), 'S-0042', '9400-TRACK'])
      expect(ofKind(await search(team, text), 'order'), text).toMatchObject([order]);
    expect(ofKind(await search(team, 'S-004'), 'order')).toEqual([]);
  });

  it('finds lab tests and markers by words, and markers by code', async () => {
    const [test] = (await team.get('/v3/lab_tests')).json;
    const word = test.name.split(/\W+/).at(-1).toLowerCase();
    expect(ofKind(await search(team, `${test.name.slice(0, 4)} ${word}`), 'lab_test')).toContainEqual(
      expect.objectContaining({ id: test.id, title: test.name }),
    );
    const markers = await team.get('/v3/lab_tests/markers?lab_slug=labcorp&size=1');
    const [marker] = markers.json.markers;
    expect(ofKind(await search(team, marker.provider_id), 'marker')).toContainEqual(
      expect.objectContaining({ id: String(marker.id), title: marker.name, detail: 'labcorp' }),
    );
  });

  it('limits each kind', async () => {
    const { json } = await team.get('/v1/search?q=a%20&limit=3');
    expect(json).toMatchObject({ detail: expect.anything() });
    const found = (await team.get('/v1/search?q=vi&limit=3')).json.data;
    expect(ofKind(found, 'marker')).toHaveLength(3);
  });

  it('finds nothing of another team', async () => {
    const other = await service.team();
    for (const text of [userId, orderId, 'clinic-4711', 'lovelace', 'S-0042', '9400-TRACK'])
      expect(await search(other, text), text).toEqual([]);
  });

  it('hides deleted users and their orders', async () => {
    const gone = await team.user('gone-0815');
    const order = await createOrder(team, 'testkit', { user_id: gone });
    expect(await search(team, order)).toHaveLength(1);
    await team.delete(`/v2/user/${gone}`);
    for (const text of [gone, order, 'gone-0815']) expect(await search(team, text), text).toEqual([]);
  });

  it.each(["'); drop table lab_order; --", 'a & | ! :*', '\\\\', '%%', '()', '😀😀', '019', '------'])(
    'accepts the text %s',
    async (text) => {
      expect(await search(team, text)).toBeInstanceOf(Array);
    },
  );

  it('refuses texts that are too short or too long', async () => {
    for (const text of ['a', '', ' a ', 'a'.repeat(101), 'a%00b'])
      expect((await team.get(`/v1/search?q=${text}`)).status, text).toBe(422);
  });
});

describe('what a caller may find', () => {
  const asMember = async (role: string): Promise<string[]> => {
    const email = `${role}@example.com`;
    const roles = [{ role, team_id: team.tenant.teamId }];
    const member = await signedIn(
      service,
      await joinOrganization(service, team, { email, role: 'no_role', roles }),
    );
    const headers = { 'x-service-team-id': team.tenant.teamId, 'x-service-environment': 'sandbox' };
    return (await member.get('/v1/search?q=zz', headers)).json.searched;
  };
  it.each([
    ['administrator', ['user', 'order', 'lab_test', 'marker', 'endpoint']],
    ['clinician', ['user', 'order', 'lab_test', 'marker']],
    ['support', ['lab_test', 'marker', 'endpoint']],
  ])('follows from the role %s', async (role, kinds) => {
    expect(await asMember(role)).toEqual(kinds);
  });

  it('follows from the areas of a key', async () => {
    const made = await team.management.post(`/v1/org/${team.orgId}/team_api_keys/sandbox/us`, {
      label: 'k',
      team_id: team.tenant.teamId,
      areas: ['team', 'orders'],
    });
    expect(made.status, made.text).toBe(200);
    const caller = service.client({ 'x-service-api-key': made.json.value });
    expect((await caller.get('/v1/search?q=zz')).json.searched).toEqual(['order']);
    expect((await team.get('/v1/search?q=zz')).json.searched).not.toContain('endpoint');
  });
});

it('is written to the access log', async () => {
  const own = await service.team();
  await search(own, 'anything');
  await expect
    .poll(async () => {
      const path = `/v1/org/${own.orgId}/team/${own.tenant.teamId}/sandbox/access_log?operation=search`;
      return (await own.management.get(path)).json.data.length;
    })
    .toBe(1);
});

describe('the cost of a search', () => {
  let many: TestTeam;
  beforeAll(async () => {
    many = await service.team();
    const orderId = await createOrder(many);
    const cipher = await service.app.keyring.cipherOf(many.tenant);
    const client = await service.ownerPool.connect();
    await copyOrders(client, { orderId, count: 8000, cipher }).finally(() => client.release());
    await service.ownerPool.query('vacuum analyze lab_order, app_user, order_name, order_name_token');
  });

  it.each(['ada', 'lovelace', 'copied-1', 'COPY7', '0001', 'rarely'])(
    'does not grow with orders and users: %s',
    async (text) => {
      const rows = await readTenant(service.app, many.tenant, async (work) => {
        const before = await rowsRead(work);
        await SEARCH_RULES.user.find(work, toSearchTerms(text, 5));
        await SEARCH_RULES.order.find(work, toSearchTerms(text, 5));
        return (await rowsRead(work)) - before;
      });
      expect(rows).toBeLessThan(600);
    },
  );
});

/** Rows of users and orders that this transaction has read. */
async function rowsRead({ tx }: Work): Promise<number> {
  const { rows } = await sql<{ rows: number }>`
    select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables
    where relname in ('lab_order', 'app_user')`.execute(tx);
  return rows[0]?.rows ?? 0;
}
