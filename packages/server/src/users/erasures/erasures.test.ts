import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { bookAppointment, orderFor } from '../../../test/appointments.ts';
import { address, order, patient, registration, shipping } from '../../../test/examples.ts';
import { waitForUploads } from '../../../test/finished-uploads.ts';
import { findLabTestId } from '../../../test/orders.ts';
import { openRouteSamples } from '../../../test/route-samples.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { PLAIN_COLUMNS, SEALED_COLUMNS } from '../../data-keys/sealed-columns.ts';
import { cleanFiles } from '../../lab-reports/files.ts';
import { cleanFiles as cleanUploads } from '../../wearables/uploads/files.ts';
import { DAY } from '../../platform/clock.ts';
import { inTenant } from '../../app.ts';
import { USER_TABLES } from './erasures.ts';
import { countRows } from './store.ts';
import { OTHER_TABLES } from './user-tables.ts';

const service = useTestService();

/** Words of the patient that occur in no other data. */
const MARKERS = [
  'Quirinazz',
  'Zweisteinqq',
  '9417 Xaverzz',
  'MemberVierbein',
  'eins@zweisteinqq.example',
] as const;
const [FIRST, LAST, STREET, MEMBER, EMAIL] = MARKERS;
const marked = { ...patient, first_name: FIRST, last_name: LAST, email: EMAIL };
const home = { ...address, receiver_name: `${FIRST} ${LAST}`, first_line: STREET };
const insurance = {
  payor_code: 'AQ-00001',
  member_id: MEMBER,
  relationship: 'Self',
  insured: { ...marked, address: home },
};

/** Gives a user of the route samples, who has one of nearly everything, data with the markers. */
async function addMarkedData(team: TestTeam, userId: string): Promise<void> {
  const kit = await findLabTestId(team, 'testkit');
  const placed = await team.post(
    '/v3/order',
    { ...order(userId, kit), patient_details: marked, patient_address: home },
    { 'x-idempotency-key': 'a marked order' },
  );
  const visit = await orderFor(team, 'phlebotomy', { more: { user_id: userId, patient_details: marked } });
  const sent = await team.post('/v3/order/testkit', {
    user_id: userId,
    lab_test_id: kit,
    shipping_details: { ...shipping, ...home },
  });
  const done = [
    await team.patch(`/v2/user/${userId}/info`, { ...marked, address: home }),
    await team.post(`/v2/user/${userId}/insurance`, insurance),
    placed,
    await team.post(`/v3/order/${placed.json.order.id}/test?final_status=completed.testkit.completed`),
    await bookAppointment(team, 'phlebotomy', visit),
    await team.post('/v2/link/connect/demo', { user_id: userId, provider: 'fitbit' }),
    await team.post('/v2/link/token', { user_id: userId }),
    await team.post(`/v2/user/refresh/${userId}`),
    await team.post(`/v2/link/code/create?user_id=${userId}`),
    sent,
    await team.post('/v3/order/testkit/register', {
      ...registration(sent.json.order.sample_id, userId),
      patient_details: marked,
      patient_address: home,
    }),
  ];
  expect(done.map(({ status, text }) => (status < 300 ? '' : text)).join('')).toBe('');
  await service.settle();
}

/** Rows of short life, or of features that the data above do not use. `$1` to `$3`: team, user, sealed words. */
const RARE_ROWS: Readonly<Record<string, string>> = {
  due_activity: `select team_id, environment, id, 'fitbit', current_date, now() + interval '1 year' from app_user
    where team_id = $1 and id = $2`,
  untold_history: `select team_id, environment, id, 'fitbit', 'sleep', now(), now() from app_user
    where team_id = $1 and id = $2`,
  due_pull: `select team_id, environment, id, 'sleep', now(), now(), 1 from connection
    where team_id = $1 and user_id = $2 limit 1`,
  deleted_record: `select team_id, environment, id, 'sleep', 'record 1', now() from connection
    where team_id = $1 and user_id = $2 limit 1`,
  label_lease: `select team_id, environment, id, now() from lab_order where team_id = $1 and user_id = $2 limit 1`,
  parcel_news: `select p.team_id, p.environment, p.order_id, p.leg, 'n1', 'in_transit', 'Given to ${FIRST}', now(), now(), null
    from parcel p join lab_order o on o.id = p.order_id where p.team_id = $1 and o.user_id = $2 limit 1`,
  link_attempt: `select team_id, environment, '\\x01', digest, 'fitbit', $3, null, now() from link_token
    where team_id = $1 and user_id = $2 limit 1`,
  lab_report_review: `select team_id, environment, id, gen_random_uuid(), null, $3, now() from lab_report_job
    where team_id = $1 and user_id = $2 limit 1`,
  critical_result_notification: `select c.team_id, c.environment, c.id, gen_random_uuid(), 'phone', $3, now(), null, null,
      now()
    from critical_result c join lab_order o on o.id = c.order_id where c.team_id = $1 and o.user_id = $2 limit 1`,
  continuous_query_result: `select q.team_id, q.environment, q.id, u.id, $3, 1, now()
    from continuous_query q join app_user u on u.team_id = q.team_id and u.environment = q.environment
    where q.team_id = $1 and u.id = $2 limit 1`,
  webhook_inbox_request: `select team_id, environment, gen_random_uuid(), now(), id, 'valid', 'success', 1, '', $3 from event
    where team_id = $1 and user_id = $2 limit 1`,
};

/** The sealed column of a table in its rows above: the last one. */
const sealedColumnOf = (table: string): string =>
  SEALED_COLUMNS.findLast((place) => place.startsWith(`${table}.`)) ?? table;

async function addRareRows({ tenant }: TestTeam, userId: string): Promise<void> {
  const cipher = await service.app.keyring.cipherOf(tenant);
  for (const [table, rows] of Object.entries(RARE_ROWS)) {
    const sealed = cipher.seal(`${FIRST} ${LAST}`, sealedColumnOf(table));
    const values = rows.includes('$3') ? [tenant.teamId, userId, sealed] : [tenant.teamId, userId];
    const added = await service.ownerPool.query(
      `insert into ${table} ${rows} on conflict do nothing`,
      values,
    );
    expect([table, added.rowCount]).toEqual([table, 1]);
  }
}

/** The columns of the whole database in which one of the words stands, sealed ones opened. */
async function columnsWith(team: TestTeam, words: readonly string[]): Promise<string[]> {
  const { rows: tables } = await service.ownerPool.query<{
    name: string;
    schema: string;
    columns: string[];
  }>(`
    select table_schema as schema, table_name as name, array_agg(column_name::text) as columns
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where t.table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') group by 1, 2`);
  const patterns = words.flatMap((word) => [`%${word}%`, `%${Buffer.from(word).toString('hex')}%`]);
  const found: string[] = [];
  for (const { schema, name, columns } of tables) {
    for (const column of columns) {
      const { rowCount } = await service.ownerPool.query(
        `select from "${schema}"."${name}" where "${column}"::text ilike any ($1) limit 1`,
        [patterns],
      );
      if (rowCount !== 0) found.push(`${name}.${column}`);
    }
  }
  const cipher = await service.app.keyring.cipherOf(team.tenant);
  for (const place of SEALED_COLUMNS) {
    const [table = '', column = ''] = place.split('.');
    const { rows } = await service.ownerPool.query<{ value: Buffer }>(
      `select "${column}" as value from "${table}" where team_id = $1 and "${column}" is not null
        and length("${column}") > 0`,
      [team.tenant.teamId],
    );
    const opened = rows.map(({ value }) => cipher.open(value, place));
    if (opened.some((text) => words.some((word) => text.includes(word)))) found.push(place);
  }
  return found.toSorted();
}

const storedFiles = async (): Promise<string[]> => {
  const entries = await readdir(join(service.app.config.DATA_DIR), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
};

describe('the tables with data of users', () => {
  it('are all in the list, or have a reason', async () => {
    const { rows } = await service.ownerPool.query<{ name: string }>(`
      with recursive reached as (
        select 'app_user'::regclass::oid as id
        union
        select c.conrelid from pg_constraint c join reached r on c.confrelid = r.id
        where c.contype = 'f' and c.confdeltype in ('c', 'n'))
      select id::regclass::text as name from reached
      union
      select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
        join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
      where n.nspname = 'public' and c.relkind = 'r'
        and a.attname in ('user_id', 'about_user', 'order_id', 'about_order', 'stream_id', 'event_id', 'event_ids')`);
    const known = new Set([...USER_TABLES.map(({ table }) => table), ...Object.keys(OTHER_TABLES)]);
    expect(rows.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
    expect(rows.length).toBeGreaterThan(45);
  });

  it('exist, with the columns that the list names', async () => {
    const columns = new Set(
      (
        await service.ownerPool.query<{ name: string }>(
          `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'`,
        )
      ).rows.map(({ name }) => name),
    );
    for (const { table, column, of = { table, column } } of USER_TABLES) {
      expect(columns).toContain(`${table}.${column}`);
      expect(columns).toContain(`${of.table}.${of.column}`);
    }
    for (const name of [...SEALED_COLUMNS, ...PLAIN_COLUMNS]) expect(columns).toContain(name);
  });
});

/** Tables in which the user of this test has no rows: most are empty whenever the service has settled. */
const WITHOUT_ROWS = new Set([
  'lab_message',
  'pipeline_delivery',
  'sample_chunk',
  'sample_segment',
  'wearable_file',
]);

describe('an erased user', () => {
  let team: TestTeam;
  let userId: string;
  let orderIds: string[];
  let markedColumns: string[];
  let statusBefore: number;
  let before: { table: string; rows: number }[];
  const certificate = () =>
    team.management.get(`/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/erasure/${userId}`);

  beforeAll(async () => {
    const samples = await openRouteSamples(service);
    team = samples.owner;
    userId = samples.theirs['user_id'] ?? '';
    await waitForUploads(samples);
    await addMarkedData(team, userId);
    const { rows } = await service.ownerPool.query<{ id: string }>(
      'select id from lab_order where user_id = $1',
      [userId],
    );
    orderIds = rows.map(({ id }) => id);
    await addRareRows(team, userId);
    before = await inTenant(service.app, team.tenant, (work) => countRows(work, userId));
    markedColumns = await columnsWith(team, MARKERS);
    statusBefore = (await certificate()).status;
    await team.delete(`/v2/user/${userId}`);
    service.clock.move(8 * DAY);
    await service.settle();
    await cleanFiles(service.app);
    await cleanUploads(service.app);
  });

  it('had data in nearly every table', () => {
    expect(statusBefore).toBe(404);
    expect(markedColumns).toContain('user_info.document');
    expect(markedColumns).toContain('lab_order.private');
    const filled = new Set(before.map(({ table }) => table));
    const empty = USER_TABLES.map(({ table }) => table).filter((table) => !filled.has(table));
    expect(empty.filter((table) => !WITHOUT_ROWS.has(table))).toEqual([]);
  });

  it('leaves no word of the patient in the database, nor a file', async () => {
    expect(await columnsWith(team, MARKERS)).toEqual([]);
    expect(await storedFiles()).toEqual([]);
  });

  it('leaves its ids only where the certificate says so', async () => {
    const found = await columnsWith(team, [userId, ...orderIds]);
    // Ids of future work, such as cancellations at laboratories.
    const isQueue = (column: string) => /^(timer|_private_jobs)\./.test(column);
    expect(found.filter((column) => !isQueue(column))).toEqual([
      'access_log.about_order',
      'access_log.about_user',
      'audit_log.subject',
      'erasure_certificate.about_user',
      'erasure_certificate.document',
      'incoming_result.candidates',
      'request_log.path',
    ]);
  });

  it('has a certificate with counts, sealed in the audit log', async () => {
    const { json } = await certificate();
    const erased = new Map(json.erased.map((one: { table: string; rows: number }) => [one.table, one.rows]));
    for (const table of ['app_user', 'user_info']) expect(erased.get(table)).toBe(1);
    expect(erased.get('lab_order')).toBe(orderIds.length);
    expect(json).toMatchObject({ user_id: userId, requested_by: { kind: 'api_key' } });
    expect(json.requested_at < json.began_at).toBe(true);
    expect(json.kept.find(({ what }: { what: string }) => what === 'access_log').count).toBeGreaterThan(0);
    expect(createHash('sha256').update(json.document).digest('hex')).toBe(json.sha256);
    const log = await team.management.get(`/v1/org/${team.orgId}/audit_log?action=user.erased`);
    expect(log.json.data).toMatchObject([
      { subject: userId, after: { environment: 'sandbox', sha256: json.sha256 } },
    ]);
  });
});

it('the stored response of a booking is erased with its user', async () => {
  const team = await service.team();
  const orderId = await orderFor(team, 'psc');
  const booked = await bookAppointment(team, 'psc', orderId);
  expect(booked.status).toBe(200);
  const { json } = await team.get(`/v3/order/${orderId}`);
  const userId = json.user_id;
  await team.patch(`/v2/user/${userId}/info`, { ...patient, address }, { 'x-idempotency-key': 'info' });
  await service.ownerPool.query(
    `update idempotency_record set expires_at = created_at + interval '14 days' where team_id = $1`,
    [team.tenant.teamId],
  );
  await team.delete(`/v2/user/${userId}`);
  service.clock.move(8 * DAY);
  await service.settle();
  expect(await columnsWith(team, [userId])).not.toContain('idempotency_record.answer');
});
