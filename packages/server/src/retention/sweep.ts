import { inTenant, type App } from '../app.ts';
import { SERVICE_ACTOR, writeAuditEntry } from '../identity/management/management.ts';
import { DAY, HOUR, isoDay, later } from '../platform/clock.ts';
import type { Removal, RemovalStep } from '../platform/db/removal.ts';
import { withSystemRole } from '../platform/db/system-role.ts';
import { toTenant } from '../platform/db/tenant-rows.ts';
import { asSystem } from '../platform/db/transact.ts';
import { newId } from '../platform/ids.ts';
import { startLoop, type Loop } from '../platform/jobs/loop.ts';
import type { Tenant } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import { keepDaysOf, RETENTION_KINDS, RETENTION_RULES, type RetentionKind } from './kinds.ts';
import * as store from './store.ts';
import { toAuditView } from './schema.ts';

/** Removes one bounded step of a kind of data, as the tenant. The modules that own the data provide them. */
export type Removers = Readonly<
  Record<RetentionKind, (app: App, work: Work, step: RemovalStep) => Promise<Removal>>
>;

const TENANTS_AT_ONCE = 100;
/** Rows of one transaction: few enough that no request waits long for a lock. */
const STEP_LIMIT = 1000;

/**
 * Deletes what is older than its team keeps it, once a day of the tenant's clock and kind, in steps of at most 1000
 * rows. A step, its count and, at the end, its audit entry commit together, so a killed process leaves no deletion
 * uncounted, and the next process continues. Two processes take turns: the row of the sweep is the lock.
 */
export const startRetention = (app: App, removers: Removers): Loop => {
  let after: Tenant | undefined;
  return startLoop(app, {
    name: 'retention',
    everyMs: HOUR,
    iterate: async () => {
      const now = app.clock.now();
      const tenants = await asSystem(app.db, (tx) =>
        store.listTenantsToSweep(tx, { after, now, limit: TENANTS_AT_ONCE }),
      );
      const last = tenants.at(-1);
      after = last && toTenant(last);
      for (const tenant of tenants) await sweepTenant(app, removers, tenant);
      return tenants.length > 0;
    },
  });
};

/** Sweeps every kind that is due. One that fails is logged and tried again in the next round; the others go on. */
export async function sweepTenant(app: App, removers: Removers, row: store.TenantToSweep): Promise<void> {
  const tenant = toTenant(row);
  for (const kind of RETENTION_KINDS) {
    const days = keepDaysOf(app.config, row.policies, { kind, environment: tenant.environment });
    if (days === null || row.swept.includes(kind)) continue;
    try {
      await sweepKind(app, tenant, { kind, days, remove: removers[kind] });
    } catch (error) {
      app.log.error({ err: error, team_id: tenant.teamId, kind }, 'a retention sweep failed');
    }
  }
}

interface KindSweep {
  readonly kind: RetentionKind;
  readonly days: number;
  readonly remove: Removers[RetentionKind];
}

async function sweepKind(app: App, tenant: Tenant, sweep: KindSweep): Promise<void> {
  let after: string | null = null;
  do {
    const from: string | null = after;
    after = await inTenant(app, tenant, (work) => sweepStep(app, work, { ...sweep, after: from }));
  } while (after !== null);
}

/** One step in one transaction. Returns where to continue; null if the sweep of the day is finished. */
async function sweepStep(
  app: App,
  work: Work,
  { kind, days, remove, after }: KindSweep & { after: string | null },
): Promise<string | null> {
  const { tx, tenant } = work;
  const now = app.clock.now();
  const day = isoDay(work.now);
  const today = RETENTION_RULES[kind].clock === 'system' ? now : work.now;
  const before = later(today, -days * DAY);
  const open = await withSystemRole(tx, async () => {
    const wanted = { kind, day, id: newId(), keep_days: days, deleted_before: before };
    const opened = await store.openSweep(tx, tenant, wanted);
    if (!opened) return undefined;
    for (const row of await store.closeEarlierSweeps(tx, tenant, { kind, day, now }))
      await sealSweep(work, { row, orgId: opened.org_id, now });
    return opened;
  });
  if (!open) return null;
  const { next, ...removed } = await remove(app, work, { before, limit: STEP_LIMIT, after });
  await withSystemRole(tx, async () => {
    const counted = { id: open.id, removed, finishedAt: next === null ? now : null };
    const row = await store.countRemoved(tx, tenant, counted);
    if (next === null) await sealSweep(work, { row, orgId: open.org_id, now });
  });
  return next;
}

/** The proof of the deletion in the hash chain of the organization. A sweep that deleted nothing leaves none. */
async function sealSweep(
  { tx, tenant }: Work,
  { row, orgId, now }: { row: store.RetentionSweepRow; orgId: string; now: Date },
): Promise<void> {
  if (row.deleted === 0) return;
  await writeAuditEntry(tx, {
    ...SERVICE_ACTOR,
    orgId,
    teamId: tenant.teamId,
    environment: tenant.environment,
    action: 'retention.sweep',
    subject: row.id,
    after: toAuditView(row),
    at: now,
  });
}
