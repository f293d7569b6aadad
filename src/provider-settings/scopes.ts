import type { z } from 'zod';
import type { App } from '../app.ts';
import { audit, lockOrganization, type Author } from '../management/management.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import { ENVIRONMENTS, type Tenant } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import type { UpsertScopes } from './scope-schema.ts';
import * as store from './scope-store.ts';

export interface TeamActing {
  readonly orgId: string;
  readonly teamId: string;
  readonly by: Author;
}

/** What the team has set; it stands the same in both environments. */
export const listRequirements = (app: App, teamId: string, provider?: string): Promise<store.ScopeRow[]> =>
  asSystem(app.db, (tx) => store.listScopes(tx, { teamId, environment: 'production' }, provider));

/** Sets what is given; null takes it away, and what is left out stays. Answers all that the team has then. */
export function setRequirements(
  app: App,
  { orgId, teamId, by }: TeamActing,
  given: z.output<typeof UpsertScopes>,
): Promise<store.ScopeRow[]> {
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const read = () => store.listScopes(tx, { teamId, environment: 'production' }, undefined);
    const before = await read();
    const at = app.clock.now();
    for (const environment of ENVIRONMENTS) await write(tx, { teamId, environment }, { given, at });
    const after = await read();
    const told = { before: before.map(shown), after: after.map(shown) };
    await audit(tx, { ...by, orgId, teamId, action: 'scope_requirements.set', subject: teamId, ...told, at });
    return after;
  });
}

async function write(
  tx: Tx,
  tenant: Tenant,
  { given, at }: { given: z.output<typeof UpsertScopes>; at: Date },
): Promise<void> {
  for (const [provider, scopes] of Object.entries(given)) {
    if (scopes === null) await store.deleteScopes(tx, tenant, provider);
    if (!scopes) continue;
    const columns = { must_grant: scopes.user_must_grant, may_grant: scopes.user_may_grant };
    await store.writeScopes(tx, tenant, { provider, ...columns, updated_at: at });
  }
}

const shown = ({ provider, must_grant, may_grant }: store.ScopeRow) => ({ provider, must_grant, may_grant });

/** What a user is asked to grant. */
export interface ScopeRequirements {
  readonly mustGrant: readonly string[];
  readonly mayGrant: readonly string[];
}

/** The tenant's requirements for a provider; undefined where it has set none, and the provider's usual ones hold. */
export async function scopeRequirements(
  work: Work,
  provider: string,
): Promise<ScopeRequirements | undefined> {
  const [row] = await store.listScopes(work.tx, work.tenant, provider);
  return row && { mustGrant: row.must_grant, mayGrant: row.may_grant };
}
