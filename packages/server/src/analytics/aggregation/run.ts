import { DAY } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import { getSourceOrder } from '../../provider-settings/provider-settings.ts';
import { sortByPriority } from '../../wearables/wearables.ts';
import { createEngine, type AggregationEngine, type ResultGroup, type SourceComparator } from './engine.ts';
import type { AggregationQueryConfig } from './schema.ts';
import { createMergedSumAccumulator, type MergedSumPart } from './merged-sums.ts';
import type { QueryPlan } from './plan.ts';
import { toSampleRow, streamSamples, readSummaryRows, type RowReadOptions } from './read-rows.ts';
import type { AggregationRow, RowSource } from './row.ts';
import { findCountedResource } from './tables.ts';

/** Runs a plan and returns its groups, sorted by their keys and not yet aligned. */
export async function runPlan(
  work: Work,
  plan: QueryPlan,
  { config, ...wanted }: RowReadOptions & { readonly config: AggregationQueryConfig | undefined },
): Promise<ResultGroup[]> {
  const order = await listProvidersByPriority(work, plan, config);
  const engine = createEngine(plan, createSourceComparator(order));
  const { reads } = plan.table;
  if (reads.kind === 'summaries') {
    for await (const row of readSummaryRows(work, reads, { ...wanted, isStaged: plan.isStaged }))
      engine.addRow(row);
  } else if (plan.aggregates.some(({ isMerged }) => isMerged)) {
    await feedMergedSums(work, plan, { ...wanted, engine, order });
  } else {
    for await (const [source, sample] of streamSamples(work, reads, { ...wanted, lead: 0 })) {
      const row = toSampleRow(source, sample, wanted.toLocalTime);
      if (isInRange(wanted, row.at)) engine.addRow(row);
    }
  }
  return engine.finish();
}

/**
 * A key of everything besides the data that a result depends on: the fallback time zone and the provider priorities.
 * Stored results with different keys cannot be combined.
 */
export const computeContextKey = async (
  work: Work,
  plan: QueryPlan,
  { zone, config }: { readonly zone: string | null; readonly config: AggregationQueryConfig | undefined },
): Promise<string> => JSON.stringify([zone, await listProvidersByPriority(work, plan, config)]);

const isInRange = ({ range }: RowReadOptions, wall: number) => wall >= range.from && wall < range.to;

/** The providers of the query's overrides first, then those of the team's order. */
async function listProvidersByPriority(
  work: Work,
  { table }: QueryPlan,
  config: AggregationQueryConfig | undefined,
) {
  const own = table.priority === null ? [] : await getSourceOrder(work, table.priority);
  return [...new Set([...(config?.provider_priority_overrides ?? []), ...own])];
}

const createSourceComparator =
  (order: readonly string[]): SourceComparator =>
  (one, other) => {
    const [first, second] = [toRankedSource(one), toRankedSource(other)];
    return sortByPriority(order, [first, second])[0] === first ? -1 : 1;
  };

const toRankedSource = ({ provider, type }: RowSource) => ({ id: 0, provider, type, workoutId: null });

/** An interval that starts before the range can reach into it; no interval is longer than this. */
const LEAD_MS = DAY;

interface MergedFeedOptions extends RowReadOptions {
  readonly engine: AggregationEngine;
  readonly order: readonly string[];
}

async function feedMergedSums(
  work: Work,
  plan: QueryPlan,
  { engine, order, ...wanted }: MergedFeedOptions,
): Promise<void> {
  const { reads } = plan.table;
  const resource = findCountedResource(plan.table);
  if (reads.kind !== 'samples' || !resource) return;
  const { toLocalTime } = wanted;
  const others = plan.aggregates.some(({ isMerged }) => !isMerged);
  const sums = createMergedSumAccumulator(
    { resource, isByMinute: plan.isByMinute },
    (sources) => sortByPriority(order, sources),
    (part) => {
      const row = toPartRow(part, toLocalTime(part.at, part.offset));
      if (isInRange(wanted, row.at)) engine.addMergedRow(row);
    },
  );
  for await (const [source, sample] of streamSamples(work, reads, { ...wanted, lead: LEAD_MS })) {
    const row = toSampleRow(source, sample, toLocalTime);
    if (plan.where && plan.where(row) !== true) continue;
    sums.add(source, sample);
    if (others && isInRange(wanted, row.at)) engine.addRow(row);
  }
  sums.finish();
}

const toPartRow = ({ source, amount }: MergedSumPart, at: number): AggregationRow => ({
  at,
  source,
  fields: { value: amount },
  toLocalTime: (moment) => moment,
});
