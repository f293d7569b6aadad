import { sql } from 'kysely';
import { readyQuery } from '../../platform/db/ready-query.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { together } from '../../platform/together.ts';
import type { Work } from '../../platform/work.ts';

/** An order that a report names, by its sample or by our own id. */
export interface Named {
  readonly id: string;
  readonly lab_slug: string;
  readonly sample_id: string | null;
}

export interface Names {
  readonly sampleIds: readonly string[];
  readonly orderId: string | null;
}

export interface NamedOrders {
  readonly bySample: readonly Named[];
  readonly byId: Named | undefined;
}

const SAMPLES_MAX = 20;

/** The same number may be given by several laboratories, and each of them once. */
const bySample = readyQuery((tx, some: Tenant & { sampleIds: readonly string[] }) =>
  tx
    .selectFrom(sql<{ name: string }>`(select unnest(${some.sampleIds}::text[]) as name)`.as('asked'))
    .crossJoinLateral((join) =>
      join
        .selectFrom('lab_order as o')
        .select(['o.id', 'o.lab_slug', 'o.sample_id'])
        .where('o.team_id', '=', some.teamId)
        .where('o.environment', '=', some.environment)
        .whereRef('o.sample_id', '=', 'asked.name')
        .limit(SAMPLES_MAX)
        .as('named'),
    )
    .select(['named.id', 'named.lab_slug', 'named.sample_id']),
);

/** With `any` of a short array it would be planned anew each time, which takes longer than to run it. */
const byId = readyQuery((tx, some: Tenant & { ids: readonly string[] }) =>
  tx
    .selectFrom(sql<{ id: string }>`unnest(${some.ids}::uuid[])`.as<'asked'>(sql`asked (id)`))
    .crossJoinLateral((join) =>
      join
        .selectFrom('lab_order as o')
        .select(['o.id', 'o.lab_slug', 'o.sample_id'])
        .where('o.team_id', '=', some.teamId)
        .where('o.environment', '=', some.environment)
        .whereRef('o.id', '=', 'asked.id')
        .limit(1)
        .as('named'),
    )
    .select(['named.id', 'named.lab_slug', 'named.sample_id']),
);

/** The orders whose sample is one of these, and the one that has this id; of any laboratory. */
export const listNamed: (work: Work, names: Names) => Promise<NamedOrders> = together(
  async ({ tx, tenant }, all: readonly Names[]) => {
    const sampleIds = [...new Set(all.flatMap((names) => names.sampleIds.slice(0, SAMPLES_MAX)))];
    const ids = [...new Set(all.flatMap(({ orderId }) => orderId ?? []))];
    const [samples, orders] = await Promise.all([
      sampleIds.length > 0 ? bySample(tx, { ...tenant, sampleIds }) : [],
      ids.length > 0 ? byId(tx, { ...tenant, ids }) : [],
    ]);
    const own = new Map(orders.map((order) => [order.id, order]));
    return all.map((names) => {
      const wanted = new Set(names.sampleIds.slice(0, SAMPLES_MAX));
      return {
        bySample: samples.filter(({ sample_id: id }) => id !== null && wanted.has(id)).slice(0, SAMPLES_MAX),
        byId: names.orderId === null ? undefined : own.get(names.orderId),
      };
    });
  },
);

export interface Sample {
  readonly labId: number;
  readonly sampleId: string;
}

/** Each looked up by itself: what the planner knows of samples is from before the first of them came. */
const carried = readyQuery((tx, some: Tenant & { sampleIds: readonly string[]; labIds: readonly number[] }) =>
  tx
    .selectFrom(
      sql<{ lab_id: number; sample_id: string }>`
        unnest(${some.labIds}::bigint[], ${some.sampleIds}::text[])`.as<'wanted'>(
        sql`wanted (lab_id, sample_id)`,
      ),
    )
    .crossJoinLateral((join) =>
      join
        .selectFrom('lab_order as o')
        .select(['o.lab_id', 'o.sample_id'])
        .where('o.team_id', '=', some.teamId)
        .where('o.environment', '=', some.environment)
        .whereRef('o.sample_id', '=', 'wanted.sample_id')
        .whereRef('o.lab_id', '=', 'wanted.lab_id')
        .limit(1)
        .as('found'),
    )
    .select(['found.lab_id', 'found.sample_id']),
);

/** Whether an order of this laboratory carries the sample id already. */
export const isSampleTaken: (work: Work, sample: Sample) => Promise<boolean> = together(
  async ({ tx, tenant }, all: readonly Sample[]) => {
    const rows = await carried(tx, {
      ...tenant,
      labIds: all.map(({ labId }) => labId),
      sampleIds: all.map(({ sampleId }) => sampleId),
    });
    const taken = new Set(rows.map(({ lab_id: lab, sample_id: id }) => `${lab}/${id}`));
    return all.map(({ labId, sampleId }) => taken.has(`${labId}/${sampleId}`));
  },
);
