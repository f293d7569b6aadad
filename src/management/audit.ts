import type { Tx } from '../platform/db/database.ts';
import { newId } from '../platform/ids.ts';

/** One change made with a key: who, what, from where, before and after. Never give it a secret. */
export interface Deed {
  readonly orgId: string;
  readonly teamId?: string;
  /** The id of the key, or `bootstrap`. */
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly address?: string;
  readonly requestId?: string;
  readonly at: Date;
}

/** Writes the deed in the transaction of the change. */
export async function audit(tx: Tx, deed: Deed): Promise<void> {
  const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
  await tx
    .insertInto('audit_log')
    .values({
      id: newId(),
      org_id: deed.orgId,
      team_id: deed.teamId ?? null,
      actor: deed.actor,
      action: deed.action,
      subject: deed.subject,
      before: json(deed.before),
      after: json(deed.after),
      address: deed.address ?? null,
      request_id: deed.requestId ?? null,
      created_at: deed.at,
    })
    .execute();
}
