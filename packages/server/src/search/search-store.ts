import { sql, type RawBuilder } from 'kysely';
import type { OrderModality, OrderStep } from '../ordering/orders/status.ts';
import { prefixToken } from '../ordering/orders/orders.ts';
import type { Work } from '../platform/work.ts';

type SearchSql = RawBuilder<unknown>;

const of = ({ tenant }: Work, alias: string): SearchSql =>
  sql`${sql.ref(`${alias}.team_id`)} = ${tenant.teamId} and ${sql.ref(`${alias}.environment`)} = ${tenant.environment}`;

/** Ids between two bounds: those that begin with some digits. */
export interface IdRange {
  readonly from: string;
  readonly to: string;
}

/** What was typed, in the forms in which the indexes hold it. */
export interface SearchTerms {
  readonly text: string;
  readonly idRange: IdRange | null;
  /** A name as names are indexed; null if the text has no letters. */
  readonly nameKey: string | null;
  /** A query for the beginnings of words; null if the text has no words. */
  readonly words: string | null;
  readonly limit: number;
}

const idIn = (column: string, { from, to }: IdRange): SearchSql =>
  sql`${sql.ref(column)} between ${from}::uuid and ${to}::uuid`;

/** Matches the beginning of a text by a range of an index. */
const beginsWith = (column: string, text: string): SearchSql =>
  sql`${sql.ref(column)} collate "C" >= ${text} and ${sql.ref(column)} collate "C" < ${text + LAST_CHARACTER}`;
const LAST_CHARACTER = '\u{10FFFF}';

/** Ids of users by their own id, their client_user_id, and the names of the patients on their orders. */
export async function findUserIds(work: Work, terms: SearchTerms): Promise<string[]> {
  const { text, idRange, nameKey, limit } = terms;
  const found = [
    ...(idRange
      ? [
          sql`select u.id, 1 as rank from app_user u
        where ${of(work, 'u')} and ${idIn('u.id', idRange)} and u.deleted_at is null limit ${limit}`,
        ]
      : []),
    sql`select u.id, 2 as rank from app_user u
      where ${of(work, 'u')} and ${beginsWith('u.client_user_id', text)} and u.deleted_at is null limit ${limit}`,
    ...(nameKey === null
      ? []
      : [
          sql`select distinct named.user_id as id, 3 as rank from (
        select o.user_id from order_name_token t cross join lateral (
          select o.user_id from lab_order o
          where ${of(work, 'o')} and o.patient_name_id = t.name_id and o.listed limit ${ORDERS_OF_NAME}) as o
        where ${of(work, 't')} and t.token = ${prefixToken(work.cipher, nameKey)} limit ${NAMED_MAX}) as named`,
        ]),
  ];
  const parts = sql.join(
    found.map((part) => sql`(${part})`),
    sql` union all `,
  );
  const { rows } = await sql<{ id: string }>`
    select id from (${parts}) as found group by id order by min(rank), id limit ${limit}`.execute(work.tx);
  return rows.map(({ id }) => id);
}

/** Many patients have a name that begins with one letter; of them, these are looked at. */
const NAMED_MAX = 100;
const ORDERS_OF_NAME = 20;

interface FoundUser {
  readonly id: string;
  readonly client_user_id: string;
}

export async function readFoundUsers(work: Work, ids: readonly string[]): Promise<FoundUser[]> {
  const { rows } = await sql<FoundUser>`
    select u.id, u.client_user_id from unnest(${ids}::uuid[]) with ordinality as w (id, place)
    join app_user u on ${of(work, 'u')} and u.id = w.id and u.deleted_at is null
    order by w.place`.execute(work.tx);
  return rows;
}

interface FoundOrder {
  readonly id: string;
  readonly user_id: string;
  readonly modality: OrderModality;
  readonly step: OrderStep;
  readonly test_name: string | null;
}

/** Orders by the beginning of their id, their sample id, and the tracking number of a parcel. */
export async function findOrders(work: Work, { text, idRange, limit }: SearchTerms): Promise<FoundOrder[]> {
  const found = [
    ...(idRange
      ? [
          sql`select o.id from lab_order o
        where ${of(work, 'o')} and ${idIn('o.id', idRange)} and o.listed limit ${limit}`,
        ]
      : []),
    sql`select o.id from lab_order o
      where ${of(work, 'o')} and o.sample_id = ${text} and o.listed limit ${limit}`,
    sql`select p.order_id as id from parcel p
      where ${of(work, 'p')} and p.tracking_number collate "C" = ${text} limit ${limit}`,
  ];
  const parts = sql.join(
    found.map((part) => sql`(${part})`),
    sql` union all `,
  );
  const { rows } = await sql<FoundOrder>`
    select o.id, o.user_id, o.modality, o.step, t.document->>'name' as test_name
    from (select distinct id from (${parts}) as any_found limit ${limit}) as found
    join lab_order o on ${of(work, 'o')} and o.id = found.id and o.listed
    left join ordered_lab_test t on ${of(work, 't')} and t.id = o.ordered_test_id
    order by o.created_at desc, o.id`.execute(work.tx);
  return rows;
}

const hasWords = (column: string, words: string): SearchSql => sql`
  to_tsvector('simple', regexp_replace(${sql.ref(column)}, '[^[:alnum:]]+', ' ', 'g')) @@ to_tsquery('simple', ${words})`;

export interface FoundInCatalog {
  readonly id: string;
  readonly name: string;
  readonly lab_slug: string | null;
}

/** Lab tests of the team's catalog whose name has words with these beginnings. */
export async function findLabTests(work: Work, { words, limit }: SearchTerms): Promise<FoundInCatalog[]> {
  if (words === null) return [];
  const { rows } = await sql<FoundInCatalog>`
    select t.id, t.name, l.slug as lab_slug from lab_test t left join lab l on l.id = t.lab_id
    where ${of(work, 't')} and not t.auto_generated and ${hasWords('t.name', words)}
    order by t.name, t.id limit ${limit}`.execute(work.tx);
  return rows;
}

/** Markers whose name has words with these beginnings, or with this code at their laboratory. */
export async function findMarkers(
  { tx }: Work,
  { text, words, limit }: SearchTerms,
): Promise<FoundInCatalog[]> {
  const found = [
    sql`select m.id from marker m where m.provider_id = ${text} and m.retired_at is null limit ${limit}`,
    ...(words === null
      ? []
      : [
          sql`select m.id from marker m
        where ${hasWords('m.name', words)} and m.retired_at is null order by m.name, m.id limit ${limit}`,
        ]),
  ];
  const parts = sql.join(
    found.map((part) => sql`(${part})`),
    sql` union all `,
  );
  const { rows } = await sql<FoundInCatalog>`
    select m.id::text as id, m.name, l.slug as lab_slug
    from (select distinct id from (${parts}) as any_found) as found
    join marker m on m.id = found.id left join lab l on l.id = m.lab_id
    order by m.name, m.id limit ${limit}`.execute(tx);
  return rows;
}

interface FoundEndpoint {
  readonly id: string;
  readonly url: string;
  readonly is_disabled: boolean;
}

/** Endpoints by the beginning of their id, or a part of their URL. A team has few. */
export async function findEndpoints(
  work: Work,
  { text, idRange, limit }: SearchTerms,
): Promise<FoundEndpoint[]> {
  const hasId = idRange ? idIn('e.id', idRange) : sql`false`;
  const { rows } = await sql<FoundEndpoint>`
    select e.id, e.url, e.disabled_at is not null as is_disabled from webhook_endpoint e
    where ${of(work, 'e')} and (${hasId} or strpos(lower(e.url), lower(${text})) > 0)
    order by e.url, e.id limit ${limit}`.execute(work.tx);
  return rows;
}
