import { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import { TimestampInput } from '../../platform/timestamp-input.ts';
import { ENVIRONMENTS } from '../../platform/tenant.ts';
import { PageCursor } from '../../platform/http/page.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import type { EntryIds } from './position-cipher.ts';
import type { AccessLogRow } from './store.ts';
import { PRINCIPAL_KINDS } from './table.ts';

export const AccessLogParams = z.object({
  org_id: z.guid(),
  team_id: z.guid(),
  environment: z.enum(ENVIRONMENTS),
});

export const AccessLogQuery = z.object({
  key_id: z.string().min(1).max(200).nullish().describe('The id of a key, a token or a break-glass opening.'),
  operation: z.string().min(1).max(200).nullish().describe('The operationId, for example `getResult`.'),
  user_id: z.guid().nullish().describe('Only accesses that name this user.'),
  order_id: z.guid().nullish().describe('Only accesses that name this order.'),
  assistant_tool: z
    .string()
    .min(1)
    .max(100)
    .nullish()
    .describe('Only calls that an assistant made with this tool.'),
  from: TimestampInput.nullish().describe('At or after this time.'),
  to: TimestampInput.nullish().describe('Before this time.'),
  next_cursor: PageCursor,
  limit: z.int().min(1).max(500).default(100),
});

const AccessLogEntryView = z
  .object({
    id: z.string().describe('The id of the entry; opaque. Entries are ordered by their position in the log.'),
    at: Timestamp.describe('In system time, not on the sandbox clock.'),
    kind: z.enum(PRINCIPAL_KINDS),
    key_id: z
      .string()
      .describe('The id of the key, the token, the break-glass opening, the user of the app, or the member.'),
    member_name: z
      .string()
      .nullable()
      .describe(
        'Extension. The current name of the member; null for other callers and for members that were removed.',
      ),
    operation: z.string(),
    method: z.string(),
    status: z.int(),
    user_id: z.uuid().nullable(),
    order_id: z.uuid().nullable(),
    other_ids: z.record(z.string(), z.string()).describe('The other ids in the path, by parameter name.'),
    address: z.string(),
    request_id: z.string(),
    assistant_tool: z
      .string()
      .nullable()
      .describe('Extension. The tool with which an assistant made the call; null for other callers.'),
  })
  .meta({ id: 'AccessLogEntry' });

export const AccessLogPageView = z.object({
  data: z.array(AccessLogEntryView),
  next_cursor: z.string().nullable(),
});

export const toAccessLogEntryView = (
  row: AccessLogRow,
  { ids, memberNames }: { ids: EntryIds; memberNames: ReadonlyMap<string, string> },
): z.input<typeof AccessLogEntryView> => ({
  id: ids.toId(row.place),
  at: isoTimestamp(row.at),
  kind: row.kind,
  key_id: row.key_id,
  member_name: (row.kind === 'member' ? memberNames.get(row.key_id) : undefined) ?? null,
  operation: row.operation,
  method: row.method,
  status: row.status,
  user_id: row.about_user,
  order_id: row.about_order,
  other_ids: row.about ?? {},
  address: row.address,
  request_id: row.request_id,
  assistant_tool: row.assistant_tool,
});
