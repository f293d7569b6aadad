import { z } from 'zod';
import type { Group, Plan } from '../aggregation/aggregation.ts';
import { found } from '../platform/errors.ts';
import type { Work } from '../platform/work.ts';
import { getUser } from '../users/users.ts';
import { definitionOf } from './define.ts';
import { readResult, shown } from './result.ts';
import { findBySlug, findQuery, type QueryRow } from './store.ts';
import { findResult, listTasks, type TaskRow } from './task-store.ts';

interface Asked {
  readonly user_id: string;
  readonly query_id_or_slug: string;
}

/** What a query last answered for a user; no rows where it was not answered yet. */
export async function findTable(work: Work, asked: Asked): Promise<{ plan: Plan; groups: Group[] }> {
  const { userId, query } = await namedBy(work, asked);
  const { plan } = definitionOf(query);
  const kept = await findResult(work, { queryId: query.id, userId });
  return { plan, groups: shown(plan, readResult(kept?.document).groups) };
}

/** The evaluations of a query for a user, newest first. */
export async function findHistory(
  work: Work,
  asked: Asked,
  page: { after: string | undefined; limit: number },
): Promise<TaskRow[]> {
  const { userId, query } = await namedBy(work, asked);
  return listTasks(work, { queryId: query.id, userId, ...page });
}

/** 404 for a user or a query that is not the team's. */
async function namedBy(
  work: Work,
  { user_id: userId, query_id_or_slug: name }: Asked,
): Promise<{ userId: string; query: QueryRow }> {
  const user = await getUser(work, userId);
  const byId = z.guid().safeParse(name).success ? await findQuery(work, name) : undefined;
  return { userId: user.id, query: found(byId ?? (await findBySlug(work, name)), 'Continuous query') };
}
