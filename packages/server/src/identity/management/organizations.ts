import type { App } from '../../app.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { requireFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { writeAuditEntry, SERVICE_ACTOR, type AuditActor } from './audit.ts';
import * as store from './store.ts';

/** Creates an organization on the plan that the Management API requires. */
export const createOrganization = (app: App, organization: { id?: string; name: string }) =>
  asSystem(app.db, (tx) => insertOrganization(app, tx, organization));

export async function insertOrganization(
  app: App,
  tx: Tx,
  { id = newId(), name }: { id?: string; name: string },
): Promise<store.OrganizationRow> {
  const row = await store.insertOrganization(tx, { id, name, plan: 'scale', created_at: app.clock.now() });
  const deed = { action: 'organization.create', subject: id, after: { name }, at: row.created_at };
  await writeAuditEntry(tx, { ...SERVICE_ACTOR, orgId: id, ...deed });
  return row;
}

export const getOrganization = (app: App, id: string): Promise<store.OrganizationRow> =>
  asSystem(app.db, async (tx) => requireFound(await store.findOrganization(tx, id), 'Organization'));

/** Renames the organization; without a name nothing changes. */
export function renameOrganization(
  app: App,
  { orgId, name, by }: { orgId: string; name: string | undefined; by: AuditActor },
): Promise<store.OrganizationRow> {
  return asSystem(app.db, async (tx) => {
    const before = requireFound(await store.lockOrganization(tx, orgId), 'Organization');
    if (name === undefined || name === before.name) return before;
    await store.renameOrganization(tx, orgId, name);
    await writeAuditEntry(tx, {
      ...by,
      orgId,
      action: 'organization.update',
      subject: orgId,
      before: { name: before.name },
      after: { name },
      at: app.clock.now(),
    });
    return { ...before, name };
  });
}
