import { z } from 'zod';
import type { ResultGroup, QueryPlan } from '../aggregation/aggregation.ts';
import { requireFound } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { getUser } from '../../users/users/users.ts';
import { parseQueryDefinition } from './define.ts';
import { parseResult, toResultRows } from './result.ts';
import { findQueryBySlug, findQuery, type ContinuousQueryRow } from './store.ts';
import { findResult, listTasks, type TaskRow } from './task-store.ts';

interface UserQueryParams {
  readonly user_id: string;
  readonly query_id_or_slug: string;
}

/** The last result of a query for a user; no rows if it was never evaluated. */
export async function findResultTable(
  work: Work,
  asked: UserQueryParams,
): Promise<{ plan: QueryPlan; groups: ResultGroup[] }> {
  const { userId, query } = await resolveUserQuery(work, asked);
  const { plan } = parseQueryDefinition(query);
  const kept = await findResult(work, { queryId: query.id, userId });
  return { plan, groups: toResultRows(plan, parseResult(kept?.document).groups) };
}

/** The evaluations of a query for a user, newest first. */
export async function findTaskHistory(
  work: Work,
  asked: UserQueryParams,
  page: { after: string | undefined; limit: number },
): Promise<TaskRow[]> {
  const { userId, query } = await resolveUserQuery(work, asked);
  return listTasks(work, { queryId: query.id, userId, ...page });
}

/** 404 for a user or a query that does not belong to the team. */
async function resolveUserQuery(
  work: Work,
  { user_id: userId, query_id_or_slug: name }: UserQueryParams,
): Promise<{ userId: string; query: ContinuousQueryRow }> {
  const user = await getUser(work, userId);
  const byId = z.guid().safeParse(name).success ? await findQuery(work, name) : undefined;
  return {
    userId: user.id,
    query: requireFound(byId ?? (await findQueryBySlug(work, name)), 'Continuous query'),
  };
}
