import { inTenant, type App, type Work } from '../app.ts';
import { execute } from '../platform/db/transact.ts';
import type { Environment, Tenant } from '../platform/tenant.ts';
import { audit, authorOf, type Author, type Caller, type Deed } from './audit.ts';
import { holdTeam, type scopedTenant } from './scope.ts';

/** The tenant of a management route that names one, if the key may act for it. */
export type ScopedTenant = ReturnType<typeof scopedTenant>;

/** On whose things somebody acts with a management key, and who. */
export interface Acting {
  readonly tenant: Tenant;
  readonly orgId: string;
  readonly by: Author;
}

export async function actingOf(
  scoped: ScopedTenant,
  input: Caller & { params: { org_id: string; team_id: string; environment: Environment } },
): Promise<Acting> {
  const tenant = await scoped(input.principal, input.params);
  return { tenant, orgId: input.principal.orgId, by: authorOf(input) };
}

type Done = Pick<Deed, 'action' | 'subject' | 'before' | 'after'>;

/**
 * A change in the tenant's transaction, and in the same one its line in the audit log, which no tenant may write. Nothing
 * is changed for a team that is deleted at the same time: its deletion would not see what was made, and not end it.
 */
export function audited<T>(
  app: App,
  { tenant, orgId, by }: Acting,
  change: (work: Work) => Promise<{ value: T; deed: Done }>,
): Promise<T> {
  const at = app.clock.now();
  return inTenant(app, tenant, async (work) => {
    const { value, deed } = await change(work);
    await execute(work.tx, 'SET LOCAL ROLE aliquot_system');
    await holdTeam(work.tx, tenant.teamId);
    const { teamId, environment } = tenant;
    await audit(work.tx, { ...by, orgId, teamId, environment, ...deed, at });
    return value;
  });
}
