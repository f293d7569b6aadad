import { sql } from 'kysely';
import { precompileQuery } from '../../platform/db/precompiled-query.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { createBatchLoader } from '../../platform/batch-loader.ts';
import type { Work } from '../../platform/work.ts';

/** An order that a report names, by its sample id or by our order id. */
export interface NamedOrderRow {
  readonly id: string;
  readonly lab_slug: string;
  readonly sample_id: string | null;
}

interface ReportOrderNames {
  readonly sampleIds: readonly string[];
  readonly orderId: string | null;
}

export interface NamedOrders {
  readonly bySample: readonly NamedOrderRow[];
  readonly byId: NamedOrderRow | undefined;
}

const SAMPLES_MAX = 20;

/** A sample id is unique per laboratory only. */
const readOrdersBySample = precompileQuery((tx, some: Tenant & { sampleIds: readonly string[] }) =>
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

/** A lateral join allows a generic plan; with `= any(...)`, planning would take longer than the query. */
const readOrdersById = precompileQuery((tx, some: Tenant & { ids: readonly string[] }) =>
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

/** The orders with one of these sample ids, and the order with this id; of any laboratory. */
export const listNamedOrders: (work: Work, names: ReportOrderNames) => Promise<NamedOrders> =
  createBatchLoader(async ({ tx, tenant }, all: readonly ReportOrderNames[]) => {
    const sampleIds = [...new Set(all.flatMap((names) => names.sampleIds.slice(0, SAMPLES_MAX)))];
    const ids = [...new Set(all.flatMap(({ orderId }) => orderId ?? []))];
    const [samples, orders] = await Promise.all([
      sampleIds.length > 0 ? readOrdersBySample(tx, { ...tenant, sampleIds }) : [],
      ids.length > 0 ? readOrdersById(tx, { ...tenant, ids }) : [],
    ]);
    const own = new Map(orders.map((order) => [order.id, order]));
    return all.map((names) => {
      const wanted = new Set(names.sampleIds.slice(0, SAMPLES_MAX));
      return {
        bySample: samples.filter(({ sample_id: id }) => id !== null && wanted.has(id)).slice(0, SAMPLES_MAX),
        byId: names.orderId === null ? undefined : own.get(names.orderId),
      };
    });
  });

interface LabSampleId {
  readonly labId: number;
  readonly sampleId: string;
}

/** Lateral index lookups, because the planner statistics may predate the first samples. */
const readAssignedSamples = precompileQuery(
  (tx, some: Tenant & { sampleIds: readonly string[]; labIds: readonly number[] }) =>
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

/** Whether an order of this laboratory already has the sample id. */
export const isSampleIdAssigned: (work: Work, sample: LabSampleId) => Promise<boolean> = createBatchLoader(
  async ({ tx, tenant }, all: readonly LabSampleId[]) => {
    const rows = await readAssignedSamples(tx, {
      ...tenant,
      labIds: all.map(({ labId }) => labId),
      sampleIds: all.map(({ sampleId }) => sampleId),
    });
    const taken = new Set(rows.map(({ lab_id: lab, sample_id: id }) => `${lab}/${id}`));
    return all.map(({ labId, sampleId }) => taken.has(`${labId}/${sampleId}`));
  },
);
