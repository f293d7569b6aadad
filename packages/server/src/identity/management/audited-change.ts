import { inTenant, type App, type Work } from '../../app.ts';
import { execute } from '../../platform/db/transact.ts';
import type { Environment, Tenant } from '../../platform/tenant.ts';
import {
  writeAuditEntry,
  actorOf,
  type AuditActor,
  type ManagementCaller,
  type AuditEntry,
} from './audit.ts';
import { lockExistingTeam, type createTenantAuthorizer } from './scope.ts';

/** Resolves the tenant in the path of a management route; fails unless the key may act for it. */
export type TenantAuthorizer = ReturnType<typeof createTenantAuthorizer>;

/** The tenant that a management key changes, and the author of the change. */
export interface TenantChangeContext {
  readonly tenant: Tenant;
  readonly orgId: string;
  readonly by: AuditActor;
}

export async function authorizeChange(
  scoped: TenantAuthorizer,
  input: ManagementCaller & { params: { org_id: string; team_id: string; environment: Environment } },
): Promise<TenantChangeContext> {
  const tenant = await scoped(input.principal, input.params);
  return { tenant, orgId: input.principal.orgId, by: actorOf(input) };
}

type AuditedAction = Pick<AuditEntry, 'action' | 'subject' | 'before' | 'after'>;

/**
 * Runs a change in the tenant's transaction and writes its audit entry in the same one, as the system role, because
 * tenants may not write the audit log. 404 for a team that is deleted concurrently: its deletion would miss the
 * change.
 */
export function runAuditedChange<T>(
  app: App,
  { tenant, orgId, by }: TenantChangeContext,
  change: (work: Work) => Promise<{ value: T; deed: AuditedAction }>,
): Promise<T> {
  const at = app.clock.now();
  return inTenant(app, tenant, async (work) => {
    const { value, deed } = await change(work);
    await execute(work.tx, 'SET LOCAL ROLE aliquot_system');
    await lockExistingTeam(work.tx, tenant.teamId);
    const { teamId, environment } = tenant;
    await writeAuditEntry(work.tx, { ...by, orgId, teamId, environment, ...deed, at });
    return value;
  });
}
