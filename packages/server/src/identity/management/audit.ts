import { isoTimestamp } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { ManagementInput } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import type { Environment } from '../../platform/tenant.ts';
import { insertAuditEntries } from './audit-store.ts';

/** The author of a change, and the origin of the request. */
export interface AuditActor {
  /** The id of the key, `member:` with the id of a member, or `service` for changes by the service itself. */
  readonly actor: string;
  readonly address?: string;
  readonly requestId?: string;
}

/** One change: actor, origin, action, subject, and the state before and after. Must never contain a secret. */
export interface AuditEntry extends AuditActor {
  readonly orgId: string;
  readonly teamId?: string;
  /** The environment of the change, if it has one; it is added to `before` and `after`. */
  readonly environment?: Environment;
  readonly action: string;
  readonly subject: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly at: Date;
}

/** The caller of a management request. */
export type ManagementCaller = Pick<ManagementInput<undefined, undefined, undefined>, 'principal' | 'from'>;

/** The prefix of the id of a member among the actors. */
export const MEMBER_ACTOR = 'member:';

export const actorOf = ({ principal, from }: ManagementCaller): AuditActor => ({
  actor: principal.member ? `${MEMBER_ACTOR}${principal.keyId}` : principal.keyId,
  ...from,
});

export const SERVICE_ACTOR: AuditActor = { actor: 'service' };

/** Writes an audit entry, in the transaction of the change. */
export const writeAuditEntry = (tx: Tx, deed: AuditEntry): Promise<void> => writeAuditEntries(tx, [deed]);

const BATCH_MAX = 1000;

/**
 * Writes many entries. Locks the chains in the order of the entries: sort them by organization to avoid deadlocks.
 */
export async function writeAuditEntries(tx: Tx, deeds: readonly AuditEntry[]): Promise<void> {
  for (let done = 0; done < deeds.length; done += BATCH_MAX) {
    await insertAuditEntries(tx, deeds.slice(done, done + BATCH_MAX).map(toAuditRow));
  }
}

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Adds the environment to `before` and `after`. An entry without either gets it as `after`. */
function withEnvironment({ environment, before, after }: AuditEntry): Pick<AuditEntry, 'before' | 'after'> {
  if (environment === undefined) return { before, after };
  const there = (value: unknown) => (isRecord(value) ? { environment, ...value } : value);
  const isSilent = before === undefined && after === undefined;
  return { before: there(before), after: isSilent ? { environment } : there(after) };
}

const toJson = (value: unknown) => (value === undefined ? null : JSON.stringify(value, serializeDates));

/** Formats timestamps as in API responses. */
function serializeDates(this: unknown, name: string, value: unknown): unknown {
  const given: unknown = isRecord(this) ? Reflect.get(this, name) : undefined;
  return given instanceof Date ? isoTimestamp(given) : value;
}

const toAuditRow = (deed: AuditEntry) => ({
  id: newId(),
  org_id: deed.orgId,
  team_id: deed.teamId ?? null,
  actor: deed.actor,
  action: deed.action,
  subject: deed.subject,
  before: toJson(withEnvironment(deed).before),
  after: toJson(withEnvironment(deed).after),
  address: deed.address ?? null,
  request_id: deed.requestId ?? null,
  created_at: deed.at,
});
