import type { Config } from '../platform/config.ts';
import type { Environment } from '../platform/tenant.ts';

export const RETENTION_KINDS = [
  'events',
  'webhook_attempts',
  'access_log',
  'request_log',
  'lab_report_files',
  'lab_messages',
  'wearable_raw',
] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];

interface RetentionRule {
  /** Null: forever. */
  readonly defaultDays: number | null;
  readonly minimumDays: number;
  readonly maximumDays: number;
  readonly canBeForever: boolean;
  /** The clock by which the data are dated. */
  readonly clock: 'tenant' | 'system';
}

/** A hundred years. */
const MAXIMUM_DAYS = 36_500;

/** How long each kind of data can be kept. The defaults are what the service did before there were settings. */
// prettier-ignore
export const RETENTION_RULES: Readonly<Record<RetentionKind, RetentionRule>> = {
  events:           { defaultDays: null, minimumDays: 30, maximumDays: MAXIMUM_DAYS, canBeForever: true,  clock: 'tenant' },
  webhook_attempts: { defaultDays: 30,   minimumDays: 7,  maximumDays: 730,          canBeForever: false, clock: 'tenant' },
  access_log:       { defaultDays: null, minimumDays: 30, maximumDays: MAXIMUM_DAYS, canBeForever: true,  clock: 'system' },
  request_log:      { defaultDays: 7,    minimumDays: 1,  maximumDays: 90,           canBeForever: false, clock: 'system' },
  lab_report_files: { defaultDays: null, minimumDays: 30, maximumDays: MAXIMUM_DAYS, canBeForever: true,  clock: 'tenant' },
  lab_messages:     { defaultDays: null, minimumDays: 30, maximumDays: MAXIMUM_DAYS, canBeForever: true,  clock: 'tenant' },
  wearable_raw:     { defaultDays: null, minimumDays: 1,  maximumDays: MAXIMUM_DAYS, canBeForever: true,  clock: 'tenant' },
};

/** The shortest period that a team may set. The operator decides about the access log in production. */
export const minimumDaysOf = (config: Config, kind: RetentionKind, environment: Environment): number =>
  kind === 'access_log' && environment === 'production'
    ? config.ACCESS_LOG_RETENTION_MIN_DAYS
    : RETENTION_RULES[kind].minimumDays;

/** The periods that a team has set; a missing kind has its default. */
export type RetentionPolicies = Partial<Record<RetentionKind, number | null>>;

/**
 * How long a kind is kept now; null: forever. Never shorter than the minimum, also where the operator raised it later.
 */
export function keepDaysOf(
  config: Config,
  policies: RetentionPolicies,
  { kind, environment }: { kind: RetentionKind; environment: Environment },
): number | null {
  const own = policies[kind];
  const days = own === undefined ? RETENTION_RULES[kind].defaultDays : own;
  return days === null ? null : Math.max(days, minimumDaysOf(config, kind, environment));
}
