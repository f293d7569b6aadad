import { getUser } from '../users/users.ts';
import type { Work } from '../platform/work.ts';
import { aligned } from './align.ts';
import type { Group } from './engine.ts';
import type { QueryBatch } from './schema.ts';
import { planQuery, type Plan } from './plan.ts';
import { SAMPLES_MAX } from './read-rows.ts';
import { runPlan } from './run.ts';
import { rangeOf } from './timeframe.ts';
import { openWall } from './wall.ts';

/*
 * Aggregation: questions about the summaries and samples of one user, answered as tables. Continuous queries ask the
 * same questions of their own accord, and enter here.
 */
export { aligned, type WallRange } from './align.ts';
export { refused, type Loc } from './columns.ts';
export { byKeys, type Group } from './engine.ts';
export { bucketAfter, before, truncated, type Period } from './local-time.ts';
export { parquetFile, parquetOf } from './parquet.ts';
export { planQuery, type Plan } from './plan.ts';
export { SAMPLES_MAX } from './read-rows.ts';
export { resultSchema, resultTable, type ResultTable } from './result-table.ts';
export { groundsOf, runPlan } from './run.ts';
export { isSampled } from './timeseries-columns.ts';
export { openWall } from './wall.ts';

export interface Answered {
  readonly plan: Plan;
  readonly groups: readonly Group[];
}

/** The answers of a batch, in the order of its queries. 404 for an unknown user, 422 for what is not understood. */
export async function answerBatch(work: Work, userId: string, batch: QueryBatch): Promise<Answered[]> {
  const range = rangeOf(batch.timeframe, ['body', 'timeframe']);
  const plans = batch.queries.map((query, i) => planQuery(query, ['body', 'queries', i]));
  const user = await getUser(work, userId);
  const wall = openWall(user.fallbackTimeZone?.value ?? null);
  const wanted = { userId: user.id, range, wall, budget: { samples: SAMPLES_MAX }, config: batch.config };
  const answers: Answered[] = [];
  for (const plan of plans) {
    const groups = await runPlan(work, plan, { ...wanted, loc: plan.loc });
    answers.push({ plan, groups: aligned(plan, groups, range) });
  }
  return answers;
}
