import { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import { PageCursor } from '../../platform/http/page.ts';
import { TimestampInput } from '../../platform/timestamp-input.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import type { RequestIds } from './request-ids.ts';
import type { RequestLogFilter, RequestLogRow } from './store.ts';

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const;
const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const;

export const RequestLogQuery = z.object({
  status: z.int().min(100).max(599).nullish().describe('Exactly this status.'),
  status_class: z.enum(STATUS_CLASSES).nullish(),
  method: z.enum(METHODS).nullish(),
  path: z
    .string()
    .max(500)
    .nullish()
    .describe('The beginning of the path, with ids or with the names of its parameters: `/v3/order/`.'),
  operation: z.string().min(1).max(200).nullish().describe('The operationId, for example `getResult`.'),
  key_id: z.string().min(1).max(200).nullish().describe('The id of a key, a token or a member.'),
  request_id: z.string().min(1).max(128).nullish().describe('The x-request-id of the response.'),
  from: TimestampInput.nullish().describe('At or after this time.'),
  to: TimestampInput.nullish().describe('Before this time.'),
  next_cursor: PageCursor,
  limit: z.int().min(1).max(200).default(50),
});

export const RequestLogParams = z.object({ request_log_id: z.string().max(100) });

export const RequestLogEntryView = z
  .object({
    id: z.string().describe('Opaque.'),
    at: Timestamp.describe('When it arrived, in system time, not on the sandbox clock.'),
    kind: z
      .string()
      .describe(
        'What it was authenticated with: `api_key`, `access_token`, `break_glass`, `user`, `member`.',
      ),
    key_id: z
      .string()
      .describe('The id of the key, the token, the break-glass opening, the user of the app, or the member.'),
    operation: z.string(),
    method: z.enum(METHODS),
    route: z.string().describe('The path with the names of its parameters.'),
    path: z.string().describe('The path with its ids. Values that are no UUIDs stay names of parameters.'),
    status: z.int(),
    duration_ms: z.int(),
    request_id: z.string(),
    idempotency_key: z.string().nullable(),
    problem: z
      .object({
        code: z.string().describe('The code of the error, or its kind, such as `not_found` or `invalid`.'),
        locations: z
          .array(z.object({ loc: z.array(z.union([z.string(), z.int()])), type: z.string() }))
          .describe(
            'Where the request was invalid, without values. `*`: a name that the API does not define.',
          ),
      })
      .nullable(),
  })
  .meta({ id: 'RequestLogEntry' });

export const RequestLogPageView = z.object({
  data: z.array(RequestLogEntryView),
  next_cursor: z
    .string()
    .nullable()
    .describe('A page can have fewer entries than `limit` and still have a next one.'),
});

export const toRequestLogEntryView = (
  row: RequestLogRow,
  ids: RequestIds,
): z.input<typeof RequestLogEntryView> => ({
  id: ids.toId(row),
  at: isoTimestamp(row.at),
  kind: row.kind,
  key_id: row.key_id,
  operation: row.operation,
  method: z.enum(METHODS).parse(row.method),
  route: row.route,
  path: row.path,
  status: row.status,
  duration_ms: row.duration_ms,
  request_id: row.request_id,
  idempotency_key: row.idempotency_key,
  problem:
    row.problem === null
      ? null
      : {
          code: row.problem,
          locations: (row.locations ?? []).map(({ loc, type }) => ({ loc: [...loc], type })),
        },
});

const HUNDRED = 100;

export function toRequestLogFilter(query: z.output<typeof RequestLogQuery>): RequestLogFilter {
  const { status, status_class: statusClass } = query;
  const first = statusClass == null ? undefined : HUNDRED * Number(statusClass[0]);
  return {
    minStatus: status ?? first,
    maxStatus: status ?? (first === undefined ? undefined : first + HUNDRED - 1),
    method: query.method ?? undefined,
    path: query.path ?? undefined,
    operation: query.operation ?? undefined,
    keyId: query.key_id ?? undefined,
    requestId: query.request_id ?? undefined,
    from: query.from == null ? undefined : new Date(query.from),
    to: query.to == null ? undefined : new Date(query.to),
  };
}
