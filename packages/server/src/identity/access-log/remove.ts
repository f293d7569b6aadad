import type { App } from '../../app.ts';
import type { Tx } from '../../platform/db/database.ts';
import { NOTHING_REMOVED, type Removal, type RemovalStep } from '../../platform/db/removal.ts';
import { withSystemRole } from '../../platform/db/system-role.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { SERVICE_ACTOR, writeAuditEntry } from '../management/management.ts';
import { digestRange } from './seal-store.ts';
import * as store from './remove-store.ts';

const SEALS_AT_ONCE = 50;

/**
 * Removes old lines in whole sealed ranges, oldest first, and writes each removal into the audit log. `before` is system
 * time. A range that differs from its seal is not removed: the error says so, because it is evidence.
 */
export const removeOldLines = (app: App, work: Work, step: RemovalStep): Promise<Removal> =>
  withSystemRole(work.tx, () => removeSealed(app, work, step));

async function removeSealed(
  app: App,
  { tx, tenant }: Work,
  { before, limit }: RemovalStep,
): Promise<Removal> {
  const at = await store.lockRemovalPosition(tx, tenant);
  if (!at) return { ...NOTHING_REMOVED, next: null };
  const wanted = { orgId: at.org_id, position: at.removed_seal, before, limit: SEALS_AT_ONCE };
  const seals = await store.listOldSeals(tx, tenant, wanted);
  let lines = 0;
  const some = seals.filter((seal, index) => (lines += seal.lines) <= limit || index === 0);
  const last = some.at(-1);
  if (!last) return { ...NOTHING_REMOVED, next: null };
  for (const seal of some) await requireIntact(tx, tenant, seal);
  const range = { after: at.removed_to, to: last.to, seal: last.position };
  const removed = await store.removeLines(tx, tenant, range);
  await writeAuditEntry(tx, {
    ...SERVICE_ACTOR,
    orgId: at.org_id,
    teamId: tenant.teamId,
    environment: tenant.environment,
    action: 'access_log.removed',
    subject: tenant.teamId,
    after: { ...range, lines: removed.deleted, deleted_before: before },
    at: app.clock.now(),
  });
  const isMore = some.length < seals.length || seals.length === SEALS_AT_ONCE;
  return { ...removed, next: isMore ? 'more' : null };
}

async function requireIntact(
  tx: Tx,
  { teamId, environment }: Tenant,
  seal: { after: number; to: number; lines: number; digest: string },
): Promise<void> {
  const now = await digestRange(tx, { teamId, environment, after: seal.after, to: seal.to });
  if (now?.lines === seal.lines && now.digest === seal.digest) return;
  throw new Error(
    `The access log differs from its seal and is not removed: ${environment} of team ${teamId}, positions ` +
      `${seal.after + 1} to ${seal.to}. Run aliquot audit verify`,
  );
}
