import { DAY } from '../platform/clock.ts';
import type { Work } from '../platform/work.ts';
import { sourceOrder } from '../provider-settings/provider-settings.ts';
import { inPriority } from '../wearables/wearables.ts';
import { openEngine, type Engine, type Group, type Prefer } from './engine.ts';
import type { QueryConfig } from './schema.ts';
import { openMergedSums, type Part } from './merged-sums.ts';
import type { Plan } from './plan.ts';
import { sampleRow, samplesOf, summaryRows, type Wanted } from './read-rows.ts';
import type { Row, RowSource } from './row.ts';
import { countedOf } from './tables.ts';

/** The groups of a plan, by their keys; not yet aligned. */
export async function runPlan(
  work: Work,
  plan: Plan,
  { config, ...wanted }: Wanted & { readonly config: QueryConfig | undefined },
): Promise<Group[]> {
  const order = await providersInOrder(work, plan, config);
  const engine = openEngine(plan, preferBy(order));
  const { reads } = plan.table;
  if (reads.kind === 'summaries') {
    for await (const row of summaryRows(work, reads, { ...wanted, isStaged: plan.isStaged }))
      engine.take(row);
  } else if (plan.aggregates.some(({ isMerged }) => isMerged)) {
    await feedMerged(work, plan, { ...wanted, engine, order });
  } else {
    for await (const [source, sample] of samplesOf(work, reads, { ...wanted, lead: 0 })) {
      const row = sampleRow(source, sample, wanted.wall);
      if (isIn(wanted, row.at)) engine.take(row);
    }
  }
  return engine.finish();
}

/** What an answer rests on beside the data: whose day it is where samples do not say, and whose data count first. */
export const groundsOf = async (
  work: Work,
  plan: Plan,
  { zone, config }: { readonly zone: string | null; readonly config: QueryConfig | undefined },
): Promise<string> => JSON.stringify([zone, await providersInOrder(work, plan, config)]);

const isIn = ({ range }: Wanted, wall: number) => wall >= range.from && wall < range.to;

/** Those of the query first, then those of the team. */
async function providersInOrder(work: Work, { table }: Plan, config: QueryConfig | undefined) {
  const own = table.priority === null ? [] : await sourceOrder(work, table.priority);
  return [...new Set([...(config?.provider_priority_overrides ?? []), ...own])];
}

const preferBy =
  (order: readonly string[]): Prefer =>
  (one, other) => {
    const [first, second] = [ranked(one), ranked(other)];
    return inPriority(order, [first, second])[0] === first ? -1 : 1;
  };

const ranked = ({ provider, type }: RowSource) => ({ id: 0, provider, type, workoutId: null });

/** An interval that began before the range may reach into it; none is longer. */
const LEAD = DAY;

interface Feeding extends Wanted {
  readonly engine: Engine;
  readonly order: readonly string[];
}

async function feedMerged(work: Work, plan: Plan, { engine, order, ...wanted }: Feeding): Promise<void> {
  const { reads } = plan.table;
  const resource = countedOf(plan.table);
  if (reads.kind !== 'samples' || !resource) return;
  const { wall } = wanted;
  const others = plan.aggregates.some(({ isMerged }) => !isMerged);
  const sums = openMergedSums(
    { resource, isByMinute: plan.isByMinute },
    (sources) => inPriority(order, sources),
    (part) => {
      const row = partRow(part, wall(part.at, part.offset));
      if (isIn(wanted, row.at)) engine.takeMerged(row);
    },
  );
  for await (const [source, sample] of samplesOf(work, reads, { ...wanted, lead: LEAD })) {
    const row = sampleRow(source, sample, wall);
    if (plan.where && plan.where(row) !== true) continue;
    sums.add(source, sample);
    if (others && isIn(wanted, row.at)) engine.take(row);
  }
  sums.finish();
}

const partRow = ({ source, amount }: Part, at: number): Row => ({
  at,
  source,
  fields: { value: amount },
  wall: (moment) => moment,
});
