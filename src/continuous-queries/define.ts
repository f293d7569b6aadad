import { planQuery, refused, type Loc, type Plan } from '../aggregation/aggregation.ts';
import { Query, QueryConfig, type Query as QueryExpression } from '../aggregation/schema.ts';
import type { QueryRow } from './store.ts';

/** A definition, its query understood. */
export interface Definition {
  readonly query: QueryExpression;
  readonly config: QueryConfig;
  readonly plan: Plan;
}

const LOC: Loc = ['body', 'query'];

/**
 * Understands a query that is to be answered again and again: it is grouped by time, so that what changed can be told,
 * and all its keys are selected, so that a row can be told by them.
 */
export function define(query: QueryExpression, config: QueryConfig): Definition {
  const plan = planQuery(query, LOC);
  if (!plan.bucket) throw refused([...LOC, 'group_by'], 'a continuous query has exactly one date_trunc');
  const selected = new Set(plan.outputs.filter(({ from }) => from === 'keys').map(({ place }) => place));
  if (selected.size < plan.keys.length) {
    throw refused([...LOC, 'select'], 'a continuous query selects all its group keys: {"group_key": "*"}');
  }
  return { query, config, plan };
}

export const definitionOf = (row: Pick<QueryRow, 'query' | 'config'>): Definition =>
  define(Query.parse(row.query), QueryConfig.parse(row.config));

export const resourcesOf = ({ plan }: Definition): string[] => [
  plan.table.reads.resource,
  ...(plan.isStaged ? ['sleep_cycle'] : []),
];
