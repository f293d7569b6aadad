import type { App } from '../../app.ts';
import { writeAuditEntry, lockOrganization, type AuditActor } from '../management/management.ts';
import { asSystem, isUniqueViolation } from '../../platform/db/transact.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import * as store from './configuration-store.ts';
import { viewConfiguration, type UpsertEhrConfiguration } from './schema.ts';

export const getConfiguration = (app: App, orgId: string): Promise<store.EhrConfigurationRow> =>
  asSystem(app.db, async (tx) =>
    requireFound(await store.findConfiguration(tx, orgId), 'EHR integration configuration'),
  );

/** Replaces the whole configuration. 409 when another organization has the slug. */
export async function setConfiguration(
  app: App,
  { orgId, by }: { orgId: string; by: AuditActor },
  given: UpsertEhrConfiguration,
): Promise<store.EhrConfigurationRow> {
  const at = app.clock.now();
  const row = { org_id: orgId, ...given, updated_at: at };
  const write = asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const before = await store.findConfiguration(tx, orgId);
    await store.upsertConfiguration(tx, row);
    await writeAuditEntry(tx, {
      ...by,
      orgId,
      action: 'ehr_configuration.set',
      subject: orgId,
      before: before && viewConfiguration(before),
      after: viewConfiguration(row),
      at,
    });
  });
  await write.catch((error: unknown) => {
    if (!isUniqueViolation(error)) throw error;
    throw new DomainError('conflict', `The slug ${given.slug} is taken: choose another one`);
  });
  return row;
}
