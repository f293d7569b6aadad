import type { App, Work } from '../app.ts';
import { listExpiringKeys } from '../identity/management/management.ts';
import { DAY } from '../platform/clock.ts';
import type { Tenant } from '../platform/tenant.ts';
import * as store from './attention-store.ts';

interface AttentionRule {
  /** What an item is. */
  readonly means: string;
  /** `keys`: read before the transaction, because no tenant can read its keys. */
  readonly query: 'keys' | ((work: Work, limit: number) => store.AttentionQuery);
}

/** What can need a person, most urgent first; the answer has the same order. */
// prettier-ignore
const ATTENTION_RULES = {
  critical_result:    { query: store.criticalResults,     means: 'A critical result that is not read back. `due_at`: when it escalates, or did.' },
  unmatched_result:   { query: store.unmatchedResults,    means: 'A report of a laboratory that matched no order and waits for a review.' },
  lab_report_review:  { query: store.labReportsInReview,  means: 'An uploaded lab report that was read and waits for a review.' },
  parcel_problem:     { query: store.parcelProblems,      means: 'An order whose parcel has a problem, or was lost or not delivered in the last 14 days.' },
  order_overdue:      { query: store.overdueOrders,       means: 'An order without a change for longer than usual at its step.' },
  dead_lab_message:   { query: store.deadLabMessages,     means: 'A message from (`in`) or to (`out`) a laboratory that could not be processed or delivered.' },
  failing_endpoint:   { query: store.failingEndpoints,    means: 'A webhook endpoint that has had only failures for at least 5 minutes.' },
  failing_broker:     { query: store.failingBrokers,      means: 'A message broker that cannot be reached. `id` is its type.' },
  exhausted_delivery: { query: store.exhaustedDeliveries, means: 'A webhook message (`message_id`) whose attempts are used up, newest first. `id` is the endpoint.' },
  expiring_key:       { query: 'keys',                    means: 'A key of the team that expires within 14 days and has no successor. `due_at`: when it expires.' },
  lost_connection:    { query: store.lostConnections,     means: 'A connection that lost its grant at the provider (`state`); the user has to connect again.' },
} as const satisfies Record<string, AttentionRule>;

type AttentionKind = keyof typeof ATTENTION_RULES;
export const ATTENTION_KINDS = Object.keys(ATTENTION_RULES) as [AttentionKind, ...AttentionKind[]];
export const KINDS_DESCRIPTION = ATTENTION_KINDS.map(
  (kind) => `\`${kind}\`: ${ATTENTION_RULES[kind].means}`,
).join(' ');

/** Counts are exact up to this number. */
export const COUNT_MAX = 1000;
const ITEMS_MAX = 5;
const KEY_WARNING_DAYS = 14;

/** The keys of the team that expire soon. */
export async function readExpiringKeys(app: App, tenant: Tenant): Promise<store.AttentionPart> {
  const soon = { withinMs: KEY_WARNING_DAYS * DAY, limit: COUNT_MAX + 1 };
  const keys = await listExpiringKeys(app, tenant, soon);
  return {
    count: keys.length,
    items: keys.slice(0, ITEMS_MAX).map(({ id, created_at: createdAt, expires_at: expiresAt }) => ({
      id,
      at: createdAt.toISOString(),
      due_at: expiresAt.toISOString(),
    })),
  };
}

export interface AttentionSection extends store.AttentionPart {
  readonly kind: AttentionKind;
}

/** Everything that needs a person. Each part is answered by one index, up to the limit of its count. */
export const readOverview = (work: Work, keys: store.AttentionPart): Promise<AttentionSection[]> =>
  Promise.all(
    ATTENTION_KINDS.map(async (kind) => {
      const { query }: AttentionRule = ATTENTION_RULES[kind];
      if (query === 'keys') return { kind, ...keys };
      const limit = COUNT_MAX + 1;
      return { kind, ...(await store.readAttention(work, query, { limit, items: ITEMS_MAX })) };
    }),
  );
