import { getUser } from '../../users/users/users.ts';
import type { Work } from '../../platform/work.ts';
import { alignGroups } from './align.ts';
import type { ResultGroup } from './engine.ts';
import type { QueryBatch } from './schema.ts';
import { planQuery, type QueryPlan } from './plan.ts';
import { SAMPLES_MAX } from './read-rows.ts';
import { runPlan } from './run.ts';
import { resolveTimeframe } from './timeframe.ts';
import { createLocalTimeConverter } from './local-time-converter.ts';

/*
 * Aggregation: queries over the summaries and samples of one user, answered as tables. Continuous queries run the same
 * plans in background jobs and use this entry point.
 */
export { alignGroups } from './align.ts';
export { invalidQuery, type QueryErrorLocation } from './columns.ts';
export { compareByKeys, type ResultGroup } from './engine.ts';
export { nextBucketStart, subtractPeriod, truncateToBucket, type BucketPeriod } from './local-time.ts';
export { writeParquet } from './parquet.ts';
export { planQuery, type QueryPlan } from './plan.ts';
export { toResultTableSchema, toResultTable, type ResultTable } from './result-table.ts';
export { computeContextKey, runPlan } from './run.ts';
export { isQueryableTimeseries } from './timeseries-columns.ts';
export { createLocalTimeConverter } from './local-time-converter.ts';

interface QueryResult {
  readonly plan: QueryPlan;
  readonly groups: readonly ResultGroup[];
}

/** The results of a batch, in the order of its queries. 404 for an unknown user, 422 for an invalid query. */
export async function runQueryBatch(work: Work, userId: string, batch: QueryBatch): Promise<QueryResult[]> {
  const range = resolveTimeframe(batch.timeframe, ['body', 'timeframe']);
  const plans = batch.queries.map((query, i) => planQuery(query, ['body', 'queries', i]));
  const user = await getUser(work, userId);
  const wall = createLocalTimeConverter(user.fallbackTimeZone?.value ?? null);
  const wanted = {
    userId: user.id,
    range,
    toLocalTime: wall,
    budget: { samples: SAMPLES_MAX },
    config: batch.config,
  };
  const answers: QueryResult[] = [];
  for (const plan of plans) {
    const groups = await runPlan(work, plan, { ...wanted, loc: plan.loc });
    answers.push({ plan, groups: alignGroups(plan, groups, range) });
  }
  return answers;
}
