import type { App } from '../../app.ts';
import type { Tx } from '../../platform/db/database.ts';
import { NOTHING_REMOVED, type Removal, type RemovalStep } from '../../platform/db/removal.ts';
import { withSystemRole } from '../../platform/db/system-role.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { SERVICE_ACTOR, writeAuditEntry } from '../management/management.ts';
import { digestRange } from './seal-store.ts';
import * as store from './remove-store.ts';
import { decodeSeal, encodePositions, isIntact, type SealedRange } from './seal-record.ts';

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
  const seals = (await store.listOldSeals(tx, tenant, wanted)).map((seal) => readSeal(at, tenant, seal));
  let lines = 0;
  const some = seals.filter((seal, index) => (lines += seal.lines) <= limit || index === 0);
  const last = some.at(-1);
  if (!last) return { ...NOTHING_REMOVED, next: null };
  for (const seal of some) await requireIntact(tx, { tenant, key: at.position_key }, seal);
  const range = { after: at.removed_to, to: last.to };
  const removed = await store.removeLines(tx, tenant, { ...range, seal: last.position });
  await writeAuditEntry(tx, {
    ...SERVICE_ACTOR,
    orgId: at.org_id,
    teamId: tenant.teamId,
    environment: tenant.environment,
    action: 'access_log.removed',
    subject: tenant.teamId,
    after: {
      ...encodePositions(at.position_key, range),
      seal: last.position,
      lines: removed.deleted,
      deleted_before: before,
    },
    at: app.clock.now(),
  });
  const isMore = some.length < seals.length || seals.length === SEALS_AT_ONCE;
  return { ...removed, next: isMore ? 'more' : null };
}

const ADVICE = 'Run aliquot audit verify';

function readSeal(
  { position_key: key }: store.RemovalPosition,
  { teamId, environment }: Tenant,
  { position, record }: store.OldSeal,
): SealedRange & { readonly position: number } {
  const seal = decodeSeal(key, record);
  if (seal) return { ...seal, position };
  throw new Error(
    `A seal of the access log is unreadable, and nothing is removed: ${environment} of team ${teamId}. ${ADVICE}`,
  );
}

async function requireIntact(
  tx: Tx,
  { tenant: { teamId, environment }, key }: { tenant: Tenant; key: Buffer },
  seal: SealedRange,
): Promise<void> {
  const now = await digestRange(tx, { teamId, environment, after: seal.after, to: seal.to });
  if (isIntact(seal, key, now)) return;
  throw new Error(
    `The access log differs from its seal and is not removed: ${environment} of team ${teamId}, positions ` +
      `${seal.after + 1} to ${seal.to}. ${ADVICE}`,
  );
}
