import { z } from 'zod';
import { isoTimestamp, isoTimestampOrNull } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import { PageCursor } from '../platform/http/page.ts';
import { ENVIRONMENTS, type Environment } from '../platform/tenant.ts';
import { Timestamp } from '../platform/timestamp.ts';
import {
  keepDaysOf,
  minimumDaysOf,
  RETENTION_KINDS,
  RETENTION_RULES,
  type RetentionKind,
  type RetentionPolicies,
} from './kinds.ts';
import type { RetentionSweepRow } from './store.ts';

export const RetentionParams = z.object({
  org_id: z.guid(),
  team_id: z.guid(),
  environment: z.enum(ENVIRONMENTS),
});

const Kind = z
  .enum(RETENTION_KINDS)
  .describe(
    '`events`: the event log. `webhook_attempts`: delivery attempts with exhausted messages and their counts. ' +
      '`access_log`: its lines. `request_log`: requests to the team API. `lab_report_files`: the uploaded files. `lab_messages`: the bodies of messages from ' +
      'and to laboratories. `wearable_raw`: the original payloads of providers.',
  );

const KeepDays = z
  .union([z.int(), z.null(), z.literal('default')])
  .optional()
  .describe('Days; null: forever; `default`: the default of the service. Omitted: unchanged.');

const fields = Object.fromEntries(RETENTION_KINDS.map((kind) => [kind, KeepDays])) as Record<
  RetentionKind,
  typeof KeepDays
>;

export const ChangeRetentionBody = z.strictObject(fields).meta({ id: 'ChangeRetentionBody' });
export type ChangeRetentionBody = z.output<typeof ChangeRetentionBody>;

export const RetentionView = z
  .object({
    data: z.array(
      z.object({
        kind: Kind,
        keep_days: z.int().nullable().describe('How many days it is kept; null: forever.'),
        is_default: z.boolean(),
        default_days: z.int().nullable(),
        minimum_days: z.int(),
        maximum_days: z.int(),
        can_be_forever: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'Retention' });

export const toRetentionView = (
  config: Config,
  policies: RetentionPolicies,
  environment: Environment,
): z.input<typeof RetentionView> => ({
  data: RETENTION_KINDS.map((kind) => ({
    kind,
    keep_days: keepDaysOf(config, policies, { kind, environment }),
    is_default: policies[kind] === undefined,
    default_days: RETENTION_RULES[kind].defaultDays,
    minimum_days: minimumDaysOf(config, kind, environment),
    maximum_days: RETENTION_RULES[kind].maximumDays,
    can_be_forever: RETENTION_RULES[kind].canBeForever,
  })),
});

export const SweepQuery = z.object({
  kind: Kind.nullish(),
  next_cursor: PageCursor,
  limit: z.int().min(1).max(500).default(100),
});

const SweepView = z
  .object({
    id: z.uuid().describe('The `subject` of its entry in the audit log, `retention.sweep`.'),
    kind: Kind,
    day: z.iso.date().describe('On the clock of the tenant.'),
    keep_days: z.int(),
    deleted_before: Timestamp.describe('Everything older was deleted, except what was still in use.'),
    deleted: z.int(),
    oldest: Timestamp.nullable().describe('The time of the oldest deleted item.'),
    newest: Timestamp.nullable(),
    finished_at: Timestamp.nullable().describe('In system time; null while the sweep runs.'),
  })
  .meta({ id: 'RetentionSweep' });

export const SweepPageView = z.object({ data: z.array(SweepView), next_cursor: z.string().nullable() });

export const toSweepView = (row: RetentionSweepRow): z.input<typeof SweepView> => ({
  id: row.id,
  ...toAuditView(row),
  finished_at: isoTimestampOrNull(row.finished_at),
});

/** Counts and times only: nothing about a person. */
export const toAuditView = (row: RetentionSweepRow) => ({
  kind: row.kind,
  day: String(row.day),
  keep_days: row.keep_days,
  deleted_before: isoTimestamp(row.deleted_before),
  deleted: row.deleted,
  oldest: isoTimestampOrNull(row.oldest),
  newest: isoTimestampOrNull(row.newest),
});
