import { sql } from 'kysely';
import type { Work } from '../../platform/work.ts';
import type { OrderFilters } from './commands.ts';
import type { Order } from './order.ts';
import { stepNamed } from './status.ts';
import { openOrder, readOrders, wholeOrder } from './store.ts';

export interface Page {
  readonly orders: Order[];
  readonly total: number;
}

/** One page of the team's orders, newest first unless asked otherwise, with the number of all that match. */
export async function listOrders(work: Work, filters: OrderFilters): Promise<Page> {
  const matching = filtered(work, filters);
  const direction = filters.order_direction ?? 'desc';
  const key = SORT_KEYS[filters.order_key ?? 'created_at'];
  const page = wholeOrder(matching)
    .orderBy(key, (order) => (direction === 'asc' ? order.asc().nullsLast() : order.desc().nullsLast()))
    .orderBy('o.id', direction)
    .limit(filters.size)
    .offset((filters.page - 1) * filters.size);
  const [rows, count] = await Promise.all([
    page.execute(),
    matching.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow(),
  ]);
  return { orders: rows.map((row) => openOrder(work, row)), total: count.total };
}

const SORT_KEYS = {
  created_at: 'o.created_at',
  patient_name: 'o.patient_name',
  last_status: 'o.step',
} as const;

type Matching = ReturnType<typeof readOrders>;

/** A row a filter: how it narrows the query when it is given. */
function filtered(work: Work, filters: OrderFilters): Matching {
  let query = readOrders(work);
  const narrow = <T>(value: T | null | undefined, by: (query: Matching, value: T) => Matching) => {
    if (value !== null && value !== undefined) query = by(query, value);
  };
  narrow(filters.user_id, (q, id) => q.where('o.user_id', '=', id));
  narrow(filters.order_ids, (q, ids) => q.where('o.id', '=', sql<string>`any(${ids}::uuid[])`));
  narrow(filters.order_transaction_id, (q, id) => q.where('o.transaction_id', '=', id));
  narrow(filters.order_type, (q, types) => q.where('o.modality', '=', sql<never>`any(${types}::text[])`));
  narrow(filters.status, (q, names) =>
    q.where('o.step', '=', sql<never>`any(${names.map(stepNamed)}::text[])`),
  );
  narrow(filters.interpretation, (q, value) => q.where('o.interpretation', '=', value));
  narrow(filters.is_critical, (q, yes) =>
    yes
      ? q.where('o.interpretation', '=', 'critical')
      : q.where(sql<boolean>`o.interpretation is distinct from 'critical'`),
  );
  narrow(filters.start_date, (q, day) => q.where('o.created_at', '>=', new Date(day)));
  narrow(filters.end_date, (q, day) => q.where('o.created_at', '<=', endOf(day)));
  narrow(filters.updated_start_date, (q, day) => q.where('o.updated_at', '>=', new Date(day)));
  narrow(filters.updated_end_date, (q, day) => q.where('o.updated_at', '<=', endOf(day)));
  narrow(filters.patient_name, (q, name) => q.where('o.patient_name', 'ilike', containing(name)));
  narrow(filters.shipping_recipient_name, (q, name) =>
    q.where('o.recipient_name', 'ilike', containing(name)),
  );
  narrow(filters.search_input, (q, text) => q.where(searched(text)));
  narrow(filters.order_activation_types, (q, types) => q.where(activated(types)));
  return query;
}

const DAY_ONLY = 10;
const endOf = (day: string): Date => new Date(day.length === DAY_ONLY ? `${day}T23:59:59.999Z` : day);

const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

const searched = (text: string) => sql<boolean>`(
  o.patient_name ilike ${containing(text)} or o.recipient_name ilike ${containing(text)}
  or o.sample_id = ${text} or o.id::text = ${text} or u.client_user_id = ${text})`;

/** `scheduled` orders wait for their day; all others are `current`. */
function activated(types: readonly ('current' | 'scheduled')[]) {
  const scheduled = sql<boolean>`(o.activate_by is not null and o.step = 'ordered')`;
  if (types.includes('current') === types.includes('scheduled')) return sql<boolean>`true`;
  return types.includes('scheduled') ? scheduled : sql<boolean>`not ${scheduled}`;
}
