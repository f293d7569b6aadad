import {
  planQuery,
  invalidQuery,
  type QueryErrorLocation,
  type QueryPlan,
} from '../aggregation/aggregation.ts';
import {
  AggregationQuery,
  AggregationQueryConfig,
  type AggregationQuery as QueryExpression,
} from '../aggregation/schema.ts';
import type { ContinuousQueryRow } from './store.ts';

/** A query with its configuration and its validated plan. */
export interface QueryDefinition {
  readonly query: QueryExpression;
  readonly config: AggregationQueryConfig;
  readonly plan: QueryPlan;
}

const QUERY_LOCATION: QueryErrorLocation = ['body', 'query'];

/**
 * Validates a continuous query. It must be grouped by time, so that changed buckets can be found, and must select all
 * its group keys, so that each row can be identified.
 */
export function defineQuery(query: QueryExpression, config: AggregationQueryConfig): QueryDefinition {
  const plan = planQuery(query, QUERY_LOCATION);
  if (!plan.bucket)
    throw invalidQuery([...QUERY_LOCATION, 'group_by'], 'a continuous query needs exactly one date_trunc');
  const selected = new Set(plan.outputs.filter(({ from }) => from === 'keys').map(({ place }) => place));
  if (selected.size < plan.keys.length) {
    throw invalidQuery(
      [...QUERY_LOCATION, 'select'],
      'a continuous query must select all its group keys: {"group_key": "*"}',
    );
  }
  return { query, config, plan };
}

export const parseQueryDefinition = (row: Pick<ContinuousQueryRow, 'query' | 'config'>): QueryDefinition =>
  defineQuery(AggregationQuery.parse(row.query), AggregationQueryConfig.parse(row.config));

export const listResources = ({ plan }: QueryDefinition): string[] => [
  plan.table.reads.resource,
  ...(plan.isStaged ? ['sleep_cycle'] : []),
];
