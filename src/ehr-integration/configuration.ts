import type { App } from '../app.ts';
import { audit, lockOrganization, type Author } from '../management/management.ts';
import { asSystem, errorCode } from '../platform/db/transact.ts';
import { DomainError, found } from '../platform/errors.ts';
import * as store from './configuration-store.ts';
import { viewConfiguration, type UpsertConfiguration } from './schema.ts';

const UNIQUE_VIOLATION = '23505';

export const getConfiguration = (app: App, orgId: string): Promise<store.ConfigurationRow> =>
  asSystem(app.db, async (tx) =>
    found(await store.findConfiguration(tx, orgId), 'Configuration of the EHR integration'),
  );

/** Sets the whole configuration. 409 when another organization has the slug. */
export async function setConfiguration(
  app: App,
  { orgId, by }: { orgId: string; by: Author },
  given: UpsertConfiguration,
): Promise<store.ConfigurationRow> {
  const at = app.clock.now();
  const row = { org_id: orgId, ...given, updated_at: at };
  const write = asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const before = await store.findConfiguration(tx, orgId);
    await store.writeConfiguration(tx, row);
    await audit(tx, {
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
    if (errorCode(error) !== UNIQUE_VIOLATION) throw error;
    throw new DomainError('conflict', `The slug ${given.slug} is taken`);
  });
  return row;
}
