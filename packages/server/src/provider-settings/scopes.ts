import type { z } from 'zod';
import type { App } from '../app.ts';
import { writeAuditEntry, lockOrganization, type AuditActor } from '../identity/management/management.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import { ENVIRONMENTS, type Tenant } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import type { UpsertScopesBody } from './scope-schema.ts';
import * as store from './scope-store.ts';

interface ScopeChangeContext {
  readonly orgId: string;
  readonly teamId: string;
  readonly by: AuditActor;
}

/** The requirements of a team, which are the same in both environments. */
export const listRequirements = (
  app: App,
  teamId: string,
  provider?: string,
): Promise<store.ScopeRequirementRow[]> =>
  asSystem(app.db, (tx) => store.listScopes(tx, { teamId, environment: 'production' }, provider));

/** Sets requirements; null removes those of a provider, and omitted providers stay. Returns all requirements. */
export function setRequirements(
  app: App,
  { orgId, teamId, by }: ScopeChangeContext,
  given: z.output<typeof UpsertScopesBody>,
): Promise<store.ScopeRequirementRow[]> {
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const read = () => store.listScopes(tx, { teamId, environment: 'production' }, undefined);
    const before = await read();
    const at = app.clock.now();
    for (const environment of ENVIRONMENTS) await writeForTenant(tx, { teamId, environment }, { given, at });
    const after = await read();
    const told = { before: before.map(toAuditView), after: after.map(toAuditView) };
    await writeAuditEntry(tx, {
      ...by,
      orgId,
      teamId,
      action: 'scope_requirements.set',
      subject: teamId,
      ...told,
      at,
    });
    return after;
  });
}

async function writeForTenant(
  tx: Tx,
  tenant: Tenant,
  { given, at }: { given: z.output<typeof UpsertScopesBody>; at: Date },
): Promise<void> {
  for (const [provider, scopes] of Object.entries(given)) {
    if (scopes === null) await store.deleteScopes(tx, tenant, provider);
    if (!scopes) continue;
    const columns = { must_grant: scopes.user_must_grant, may_grant: scopes.user_may_grant };
    await store.upsertScopes(tx, tenant, { provider, ...columns, updated_at: at });
  }
}

const toAuditView = ({ provider, must_grant, may_grant }: store.ScopeRequirementRow) => ({
  provider,
  must_grant,
  may_grant,
});

/** The scopes that a user is asked to grant. */
interface ScopeRequirements {
  readonly mustGrant: readonly string[];
  readonly mayGrant: readonly string[];
}

/** The tenant's requirements for a provider; undefined if it has none, and the provider's defaults apply. */
export async function findScopeRequirements(
  work: Work,
  provider: string,
): Promise<ScopeRequirements | undefined> {
  const [row] = await store.listScopes(work.tx, work.tenant, provider);
  return row && { mustGrant: row.must_grant, mayGrant: row.may_grant };
}
