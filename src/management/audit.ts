import { isoMoment } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import type { ManagementInput } from '../platform/http/route.ts';
import { newId } from '../platform/ids.ts';
import type { Environment } from '../platform/tenant.ts';
import { insertDeeds } from './audit-store.ts';

/** Who did it, and from where. */
export interface Author {
  /** The id of the key, or `service` for what the service does by itself. */
  readonly actor: string;
  readonly address?: string;
  readonly requestId?: string;
}

/** One change made with a key: who, what, from where, before and after. Never give it a secret. */
export interface Deed extends Author {
  readonly orgId: string;
  readonly teamId?: string;
  /** Of which environment it is, where it is of one: what is told of it begins with that. */
  readonly environment?: Environment;
  readonly action: string;
  readonly subject: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly at: Date;
}

/** What a request tells of its caller. */
export type Caller = Pick<ManagementInput<undefined, undefined, undefined>, 'principal' | 'from'>;

export const authorOf = ({ principal, from }: Caller): Author => ({ actor: principal.keyId, ...from });

export const theService: Author = { actor: 'service' };

/** Writes the deed in the transaction of the change. */
export const audit = (tx: Tx, deed: Deed): Promise<void> => auditAll(tx, [deed]);

const WRITTEN_AT_ONCE = 1000;

/** Writes many. The chains of organizations are locked in the order of the deeds: give them sorted by organization. */
export async function auditAll(tx: Tx, deeds: readonly Deed[]): Promise<void> {
  for (let done = 0; done < deeds.length; done += WRITTEN_AT_ONCE) {
    await insertDeeds(tx, deeds.slice(done, done + WRITTEN_AT_ONCE).map(rowOf));
  }
}

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What was and what is, each with its environment. A deed of which nothing is told says at least where it was done. */
function toldOf({ environment, before, after }: Deed): Pick<Deed, 'before' | 'after'> {
  if (environment === undefined) return { before, after };
  const there = (value: unknown) => (isRecord(value) ? { environment, ...value } : value);
  const isSilent = before === undefined && after === undefined;
  return { before: there(before), after: isSilent ? { environment } : there(after) };
}

const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value, withMoments));

/** Moments stand in the log as they do in answers. */
function withMoments(this: unknown, name: string, value: unknown): unknown {
  const given: unknown = isRecord(this) ? Reflect.get(this, name) : undefined;
  return given instanceof Date ? isoMoment(given) : value;
}

const rowOf = (deed: Deed) => ({
  id: newId(),
  org_id: deed.orgId,
  team_id: deed.teamId ?? null,
  actor: deed.actor,
  action: deed.action,
  subject: deed.subject,
  before: json(toldOf(deed).before),
  after: json(toldOf(deed).after),
  address: deed.address ?? null,
  request_id: deed.requestId ?? null,
  created_at: deed.at,
});
