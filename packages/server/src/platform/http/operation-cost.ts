import type { z } from 'zod';
import { fileTypeOf } from './file-response.ts';
import type { Method, ResponseSchemas, RouteSchema } from './route.ts';

/** What the cost of an operation depends on. */
interface PricedOperation {
  readonly method: Method;
  readonly schema: RouteSchema<
    z.ZodType | undefined,
    z.ZodType | undefined,
    z.ZodType | undefined,
    ResponseSchemas
  >;
}

interface CostRule {
  readonly name: string;
  readonly cost: number;
  readonly matches: (operation: PricedOperation) => boolean;
}

/** Operations that compute over the whole history of a user. */
const QUERIES = new Set(['exportUser', 'queryUser', 'getSleepSummariesWithStreams']);
const PAGE_PARAMETERS = ['next_cursor', 'cursor', 'after', 'page', 'offset', 'start_date', 'date'];

/** What an operation costs, in units of the rate limits. The first rule that matches counts. */
export const COST_RULES: readonly CostRule[] = [
  { name: 'upload', cost: 10, matches: ({ schema }) => schema.multipart === true },
  { name: 'batch', cost: 5, matches: ({ schema }) => schema.lines === true },
  { name: 'query', cost: 5, matches: ({ schema }) => QUERIES.has(schema.operationId) },
  { name: 'file', cost: 5, matches: ({ schema }) => respondsWithFile(schema.response) },
  { name: 'write', cost: 2, matches: ({ method }) => method !== 'GET' },
  { name: 'list', cost: 2, matches: ({ schema }) => isList(schema) },
  { name: 'read', cost: 1, matches: () => true },
];

export const costRuleOf = (operation: PricedOperation): CostRule => {
  const rule = COST_RULES.find(({ matches }) => matches(operation));
  if (!rule) throw new Error(`No cost for ${operation.schema.operationId}`);
  return rule;
};

const respondsWithFile = (responses: ResponseSchemas): boolean =>
  Object.values(responses).some((schema) => fileTypeOf(schema) !== undefined);

function isList({ operationId, query }: PricedOperation['schema']): boolean {
  if (/^list[A-Z]/.test(operationId)) return true;
  const names = query && 'shape' in query && typeof query.shape === 'object' ? (query.shape ?? {}) : {};
  return PAGE_PARAMETERS.some((name) => name in names);
}
