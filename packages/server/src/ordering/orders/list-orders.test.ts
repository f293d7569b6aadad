import { sql } from 'kysely';
import type { PoolClient } from 'pg';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { copyOrders } from '../../../test/copied-orders.ts';
import { order } from '../../../test/examples.ts';
import { findLabTestId } from '../../../test/orders.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { inTenant, type Work } from '../../app.ts';
import { DAY, isoDay, later } from '../../platform/clock.ts';
import { OrderFilters } from './commands.ts';
import { COUNT_LIMIT } from './list-filter-store.ts';
import { listOrders } from './list-orders.ts';
import { NAME_SEAL_CONTEXT } from './names.ts';

const service = useTestService();

interface ListedOrderRow {
  id: string;
  user_id: string;
  client_user_id: string;
  transaction_id: string;
  modality: string;
  step: string;
  interpretation: string | null;
  activate_by: string | null;
  sample_id: string | null;
  patient_name: string | null;
  recipient_name: string | null;
  created_at: Date;
  updated_at: Date;
}

/** A team with so many orders of all kinds, and its rows as the database has them. */
async function teamOf(count: number): Promise<{ team: TestTeam; rows: ListedOrderRow[] }> {
  const team = await service.team();
  const testId = await findLabTestId(team, 'walk_in_test');
  const placed = await team.post('/v3/order', order(await team.user('somebody'), testId));
  const cipher = await service.app.keyring.cipherOf(team.tenant);
  await asOwner((client) => copyOrders(client, { orderId: placed.json.order.id, count, cipher }));
  await service.ownerPool.query('analyze lab_order, order_name, order_name_token, app_user');
  const { rows } = await service.ownerPool.query<
    Omit<ListedOrderRow, 'patient_name' | 'recipient_name'> & SealedNameColumns
  >(
    `select o.*, u.client_user_id, p.name as patient, r.name as recipient
     from lab_order o join app_user u on u.id = o.user_id and u.team_id = o.team_id
       left join order_name p on p.id = o.patient_name_id left join order_name r on r.id = o.recipient_name_id
     where o.team_id = $1 and u.deleted_at is null`,
    [team.tenant.teamId],
  );
  const open = (name: Buffer | null) => name && cipher.open(name, NAME_SEAL_CONTEXT);
  return {
    team,
    rows: rows.map((row) => ({
      ...row,
      patient_name: open(row.patient),
      recipient_name: open(row.recipient),
    })),
  };
}

interface SealedNameColumns {
  patient: Buffer | null;
  recipient: Buffer | null;
}

async function asOwner(use: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await service.ownerPool.connect();
  await use(client).finally(() => client.release());
}

const named = (name: string | null, wanted: string) =>
  ` ${(name ?? '').toLowerCase().replaceAll('-', ' ')}`.includes(` ${wanted.toLowerCase()}`);
const day = (text: string) => new Date(`${text}T00:00:00Z`);

/** A filter, and the orders that it wants, said as plainly as can be. */
type FilterCase = [query: string, holds: (row: ListedOrderRow) => boolean];

// prettier-ignore
const FILTERS: FilterCase[] = [
  ['',                                        () => true],
  ['status=lost',                             ({ step }) => step === 'lost'],
  ['status=ordered&status=completed',         ({ step }) => step === 'ordered' || step === 'completed'],
  ['status=draw_completed',                   () => false],
  ['order_type=on_site_collection',           ({ modality }) => modality === 'on_site_collection'],
  ['order_type=testkit&status=completed',     ({ modality, step }) => modality === 'testkit' && step === 'completed'],
  ['is_critical=true',                        ({ interpretation }) => interpretation === 'critical'],
  ['is_critical=false&status=completed',      ({ interpretation, step }) => interpretation !== 'critical' && step === 'completed'],
  ['interpretation=abnormal',                 ({ interpretation }) => interpretation === 'abnormal'],
  ['order_activation_types=scheduled',        ({ activate_by, step }) => activate_by !== null && step === 'ordered'],
  ['order_activation_types=current',          ({ activate_by, step }) => activate_by === null || step !== 'ordered'],
  ['order_activation_types=current&order_activation_types=scheduled', () => true],
  ['start_date=2025-01-01',                   ({ created_at }) => created_at >= day('2025-01-01')],
  ['end_date=2025-01-01',                     ({ created_at }) => created_at < day('2025-01-02')],
  ['start_date=2025-01-01T10:00:00&end_date=2025-06-01T00:00:00%2B02:00',
    ({ created_at }) => created_at >= new Date('2025-01-01T10:00:00Z') && created_at <= new Date('2025-05-31T22:00:00Z')],
  ['start_date=2025-05-01&status=completed',  ({ created_at, step }) => created_at >= day('2025-05-01') && step === 'completed'],
  ['updated_start_date=2027-01-01',           ({ updated_at }) => updated_at >= day('2027-01-01')],
  ['updated_end_date=2024-09-01',             ({ updated_at }) => updated_at < day('2024-09-02')],
  ['updated_start_date=2020-01-01&order_type=testkit', ({ modality }) => modality === 'testkit'],
  ['updated_start_date=2020-01-01',           () => true],
  ['updated_start_date=2020-01-01&is_critical=false', ({ interpretation }) => interpretation !== 'critical'],
  ['patient_name=rarely',                     ({ patient_name }) => named(patient_name, 'rarely')],
  ['patient_name=ADA%20love',                 ({ patient_name }) => named(patient_name, 'ada love')],
  ['patient_name=smith',                      ({ patient_name }) => named(patient_name, 'smith')],
  ['patient_name=ovelace',                    () => false],
  ['patient_name=de%20la%25',                 () => false],
  ['shipping_recipient_name=Seldom',          ({ recipient_name }) => named(recipient_name, 'seldom')],
  ['shipping_recipient_name=a',               ({ recipient_name }) => named(recipient_name, 'a')],
  ['patient_name=-',                          () => false],
  ['shipping_recipient_name=%20--',           () => false],
  ['search_input=-',                          () => false],
  ['search_input=xavier',                     ({ recipient_name }) => named(recipient_name, 'xavier')],
  ['search_input=COPY7',                      ({ sample_id }) => sample_id === 'COPY7'],
  ['search_input=copied-3',                   ({ client_user_id }) => client_user_id === 'copied-3'],
  ['search_input=Ada',                        ({ patient_name, recipient_name }) => named(patient_name, 'ada') || named(recipient_name, 'ada')],
  ['patient_name=smith&status=lost&start_date=2025-01-01',
    ({ patient_name, step, created_at }) => named(patient_name, 'smith') && step === 'lost' && created_at >= day('2025-01-01')],
];

const SORTS: Record<string, (row: ListedOrderRow) => string | number | null> = {
  created_at: ({ created_at }) => created_at.getTime(),
  patient_name: ({ patient_name }) => patient_name?.toLowerCase() ?? null,
  last_status: ({ step }) => step,
};

type SortKey = string | number | null;
const compare = (one: SortKey, other: SortKey): number => {
  if (one === other) return 0;
  if (one === null || other === null) return 0;
  return one < other ? -1 : 1;
};

/** The rows in the order that is asked for; without a name last in both directions. */
function inOrder(rows: readonly ListedOrderRow[], sort: string, direction: 'asc' | 'desc'): ListedOrderRow[] {
  const key = SORTS[sort] ?? (() => null);
  const sign = direction === 'asc' ? 1 : -1;
  const moment = sort === 'last_status' ? (row: ListedOrderRow) => row.created_at.getTime() : () => 0;
  return rows.toSorted((a, b) => {
    const unnamed = Number(key(a) === null) - Number(key(b) === null);
    return (
      unnamed || sign * (compare(key(a), key(b)) || compare(moment(a), moment(b)) || compare(a.id, b.id))
    );
  });
}

const SIZE = 6;

/** Compares the first page and the last of every sorting in both directions with a plain reckoning. */
async function pagesThatAgree(
  { team, rows }: { team: TestTeam; rows: ListedOrderRow[] },
  [query, holds]: FilterCase,
) {
  const wanted = rows.filter(holds);
  const lastPage = Math.max(1, Math.ceil(wanted.length / SIZE));
  let pages = 0;
  for (const sort of Object.keys(SORTS)) {
    for (const direction of ['asc', 'desc'] as const) {
      const all = inOrder(wanted, sort, direction).map(({ id }) => id);
      for (const page of new Set([1, Math.min(2, lastPage), lastPage])) {
        const asked = `${query}&order_key=${sort}&order_direction=${direction}&page=${page}&size=${SIZE}`;
        const { status, json } = await team.get(`/v3/orders?${asked}`);
        expect(status, asked).toBe(200);
        const seen = json.orders.map((each: { id: string }) => each.id);
        expect(seen, asked).toEqual(all.slice((page - 1) * SIZE, page * SIZE));
        expect(totalsAllowed({ rows, all, seen, page, lastPage }), asked).toContain(json.total);
        pages += 1;
      }
    }
  }
  return pages;
}

interface WalkedList {
  rows: readonly ListedOrderRow[];
  all: readonly string[];
  seen: readonly string[];
  page: number;
  lastPage: number;
}

/** Few are always counted; of many the number may be unknown until the last page, and must be beyond what is counted. */
function totalsAllowed({ rows, all, seen, page, lastPage }: WalkedList): (number | null)[] {
  const isEnd = page === lastPage && seen.length > 0 && seen.length < SIZE;
  if (isEnd || rows.length <= COUNT_LIMIT) return [all.length];
  return all.length > COUNT_LIMIT ? [null] : [all.length, null];
}

describe('a list of a few hundred orders', () => {
  let few: Awaited<ReturnType<typeof teamOf>>;
  beforeAll(async () => {
    few = await teamOf(300);
  });

  it.each(FILTERS)('finds and sorts by %s', async (...filter) => {
    expect(await pagesThatAgree(few, filter)).toBeGreaterThan(0);
  });

  it('filters by user, transaction and ids, and searches by id', async () => {
    const [one, other] = few.rows;
    if (!one || !other) throw new Error('There are no orders');
    const agree = async (wanted: FilterCase) => expect(await pagesThatAgree(few, wanted)).toBeGreaterThan(0);
    await agree([`user_id=${one.user_id}`, ({ user_id }) => user_id === one.user_id]);
    await agree([
      `order_transaction_id=${one.transaction_id}`,
      ({ transaction_id }) => transaction_id === one.transaction_id,
    ]);
    await agree([
      `order_ids=${one.id}&order_ids=${other.id}&order_ids=01900000-0000-7000-8000-000000000000`,
      ({ id }) => id === one.id || id === other.id,
    ]);
    await agree([`search_input=${one.id}`, ({ id }) => id === one.id]);
    await agree([
      `user_id=${one.user_id}&status=${one.step}`,
      ({ user_id, step }) => user_id === one.user_id && step === one.step,
    ]);
  });

  it('defaults to newest first with fifty orders per page', async () => {
    const answer = await few.team.get('/orders');
    const newest = inOrder(few.rows, 'created_at', 'desc').slice(0, 50);
    expect(answer.json.orders.map((each: { id: string }) => each.id)).toEqual(newest.map(({ id }) => id));
    expect(answer.json).toMatchObject({ page: 1, size: 50, total: few.rows.length });
  });

  it('names the invalid filter', async () => {
    // prettier-ignore
    for (const [query, place] of [
      ['size=501', 'size'], ['size=0', 'size'], ['page=0', 'page'], ['status=nowhere', 'status'],
      ['order_key=price', 'order_key'], ['order_direction=up', 'order_direction'], ['user_id=me', 'user_id'],
      ['start_date=yesterday', 'start_date'], ['is_critical=maybe', 'is_critical'], ['order_type=pigeon', 'order_type'],
    ]) {
      const answer = await few.team.get(`/v3/orders?${query}`);
      expect(answer.status, query).toBe(422);
      expect(answer.json.detail[0].loc.slice(0, 2), query).toEqual(['query', place]);
    }
  });

  it('shows no orders of another team', async () => {
    const stranger = await service.team();
    expect((await stranger.get('/v3/orders')).json).toMatchObject({ orders: [], total: 0 });
    const [one] = few.rows;
    const asked = await stranger.get(`/v3/orders?order_ids=${one?.id}&search_input=Ada`);
    expect(asked.json).toMatchObject({ orders: [], total: 0 });
  });
});

/** Marks the rows as seen by all, as the database does in time. It cannot while an older transaction is open. */
async function markSeen(): Promise<void> {
  const mark = async () => {
    // By default, vacuum leaves few deleted rows to the next time, and their pages unmarked.
    await service.ownerPool.query('vacuum (analyze, index_cleanup on) lab_order');
    const { rows } = await service.ownerPool.query<{ unseen: number }>(
      `select relpages - relallvisible as unseen from pg_class where oid = 'lab_order'::regclass`,
    );
    if (rows[0]?.unseen !== 0) throw new Error(`Pages that are not seen by all: ${rows[0]?.unseen}`);
  };
  await vi.waitFor(mark, { timeout: 50_000, interval: 20 });
}

/** How many orders this transaction has looked at themselves, and not in an index alone. */
async function rowsLookedAt({ tx }: Work): Promise<number> {
  const { rows } = await sql<{ rows: number }>`
    select (idx_tup_fetch + seq_tup_read)::int as rows from pg_stat_xact_user_tables
    where relname = 'lab_order'`.execute(tx);
  return rows[0]?.rows ?? 0;
}

describe('a list above the limit for counting', () => {
  let many: Awaited<ReturnType<typeof teamOf>>;
  beforeAll(async () => {
    many = await teamOf(COUNT_LIMIT + 3000);
  });

  it.each(FILTERS)('finds and sorts by %s', async (...filter) => {
    expect(await pagesThatAgree(many, filter)).toBeGreaterThan(0);
  });

  it('is filtered by the lab test', async () => {
    const { team } = many;
    const other = await findLabTestId(team, 'testkit');
    const rare = (await team.post('/v3/order', order(await team.user(), other))).json.order;
    const ids = async (query: string) =>
      (await team.get(`/v3/orders?${query}`)).json.orders.map(({ id }: { id: string }) => id);
    const frequent = await findLabTestId(team, 'walk_in_test');
    expect(await ids(`lab_test_id=${other}`)).toEqual([rare.id]);
    expect(await ids(`lab_test_id=${other}&status=lost`)).toEqual([]);
    expect(await ids(`lab_test_id=${frequent}&size=500`)).toHaveLength(500);
    expect(await ids(`lab_test_id=${frequent}&status=lost&size=3`)).toHaveLength(3);
    await service.ownerPool.query('delete from lab_order where id = $1', [rare.id]);
  });

  it('returns the total on the last page', async () => {
    expect((await many.team.get('/v3/orders')).json.total).toBeNull();
    const last = await many.team.get(`/v3/orders?size=500&page=${Math.ceil(many.rows.length / 500)}`);
    expect(last.json.total).toBe(many.rows.length);
    expect((await many.team.get('/v3/orders?status=lost')).json.total).toBeGreaterThan(50);
  });

  it('counts current orders on the index, except orders with a day', async () => {
    await markSeen();
    const looked = await inTenant(service.app, many.team.tenant, async (work) => {
      // What the connection has not reported yet of earlier transactions is in it, too.
      const before = await rowsLookedAt(work);
      const filters = OrderFilters.parse({ order_activation_types: ['current'], size: 1 });
      expect(await listOrders(work, filters)).toMatchObject({ orders: [{}], total: null });
      return (await rowsLookedAt(work)) - before;
    });
    // The facets, the page, and the orders of a day are looked at; the thousands that are counted are not.
    expect(looked).toBeLessThan(COUNT_LIMIT / 10);
  });
});

describe('a list of the orders of a user who has thousands', () => {
  let one: Awaited<ReturnType<typeof teamOf>>;
  let own: ListedOrderRow[];
  let userId: string;
  beforeAll(async () => {
    one = await teamOf(COUNT_LIMIT - 1000);
    const [first] = one.rows;
    if (!first) throw new Error('There are no orders');
    const { client_user_id } = first;
    userId = first.user_id;
    // All but every tenth order, so that there are others between them.
    const { rows } = await service.ownerPool.query<{ id: string }>(
      `update lab_order set user_id = $2 where team_id = $1 and sample_id !~ '9$' returning id`,
      [one.team.tenant.teamId, userId],
    );
    const ids = new Set(rows.map(({ id }) => id));
    own = one.rows.map((row) => (ids.has(row.id) ? { ...row, user_id: userId, client_user_id } : row));
    await markSeen();
  });

  it.each(FILTERS)('finds and sorts by %s', async (query, holds) => {
    const filter: FilterCase = [`user_id=${userId}&${query}`, (row) => row.user_id === userId && holds(row)];
    expect(await pagesThatAgree({ team: one.team, rows: own }, filter)).toBeGreaterThan(0);
  });

  it.each(['created_at', 'last_status', 'patient_name'] as const)(
    'looks at few orders themselves when it is sorted by %s',
    async (order_key) => {
      const looked = await inTenant(service.app, one.team.tenant, async (work) => {
        const before = await rowsLookedAt(work);
        const filters = OrderFilters.parse({ user_id: userId, order_key, size: 20 });
        const { orders, total } = await listOrders(work, filters);
        expect(orders).toHaveLength(20);
        expect(total).toBe(own.filter((row) => row.user_id === userId).length);
        return (await rowsLookedAt(work)) - before;
      });
      // Of 3,600: those of the page, some of them for more than one part of the answer.
      expect(looked).toBeLessThanOrEqual(100);
    },
  );
});

describe('a scheduled order', () => {
  it('is current from the start of its day, even if it still waits', async () => {
    const team = await service.team();
    const lab = await findLabTestId(team, 'walk_in_test');
    const now = service.clock.now();
    const on = async (activate_by: string | null) => {
      const { json } = await team.post('/v3/order', { ...order(await team.user(), lab), activate_by });
      return json.order.id as string;
    };
    const listed = async (query: string) => {
      const { json } = await team.get(`/v3/orders?order_direction=asc&order_activation_types=${query}`);
      expect(json.total, query).toBe(json.orders.length);
      return json.orders.map(({ id }: { id: string }) => id);
    };
    const [tomorrow, today, never] = [
      await on(isoDay(later(now, DAY))),
      await on(isoDay(now)),
      await on(null),
    ];
    const all = [tomorrow, today, never];
    for (const more of ['', '&status=ordered', '&order_key=patient_name', '&updated_start_date=2020-01-01']) {
      expect(await listed(`scheduled${more}`), more).toEqual([tomorrow]);
      expect((await listed(`current${more}`)).toSorted(), more).toEqual([today, never].toSorted());
      const both = await listed(`current&order_activation_types=scheduled${more}`);
      expect(both.toSorted(), more).toEqual(all.toSorted());
    }
    // Had it a day, and no longer waits: it is what it always was.
    await team.post(`/v3/order/${today}/test?final_status=requisition_created`);
    expect(await listed('scheduled')).toEqual([tomorrow]);
    await team.post(`/v3/order/${tomorrow}/cancel`);
    expect(await listed('scheduled')).toEqual([]);
    expect(await listed('current')).toEqual(all);
  });
});

describe('the orders of a deleted user', () => {
  it('are hidden, and shown again after the user is restored', async () => {
    const team = await service.team();
    const testId = await findLabTestId(team, 'testkit');
    const [gone, stays] = [await team.user('gone'), await team.user('stays')];
    for (const user of [gone, stays]) await team.post('/v3/order', order(user, testId));
    const queries = ['', 'search_input=gone', 'status=ordered', 'patient_name=ada', `user_id=${gone}`];
    const totals = () =>
      Promise.all(queries.map(async (query) => (await team.get(`/v3/orders?${query}`)).json.total));
    expect(await totals()).toEqual([2, 1, 2, 2, 1]);
    await team.delete(`/v2/user/${gone}`);
    expect(await totals()).toEqual([1, 0, 1, 1, 0]);
    await team.post(`/v2/user/undo_delete?user_id=${gone}`);
    expect(await totals()).toEqual([2, 1, 2, 2, 1]);
  });
});
