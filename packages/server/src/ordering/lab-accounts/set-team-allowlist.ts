import type { App } from '../../app.ts';
import { writeAuditEntry, type AuditActor } from '../../identity/management/management.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import type { Environment } from '../../platform/tenant.ts';
import * as store from './org-store.ts';
import type { LabAccount } from './schema.ts';

interface TeamAllowlistChange {
  readonly orgId: string;
  readonly environment: Environment;
  readonly id: string;
  /** The complete new allowlist. */
  readonly teamIds: readonly string[];
  readonly by: AuditActor;
}

/**
 * Replaces the allowlist of a lab account with these teams of the organization. Existing orders keep the account. 404
 * for an account or a team that the organization does not have.
 */
export function setTeamAllowlist(app: App, opening: TeamAllowlistChange): Promise<LabAccount> {
  const { orgId, environment, id } = opening;
  const teamIds = [...new Set(opening.teamIds.map((teamId) => teamId.toLowerCase()))];
  const at = app.clock.now();
  return asSystem(app.db, async (tx) => {
    await store.lockAccount(tx, { orgId, environment }, id);
    const before = await getAccount(tx, opening);
    await requireTeams(tx, orgId, teamIds);
    await store.replaceAllowlist(tx, { orgId, environment, id, teamIds, at });
    const after = await getAccount(tx, opening);
    await writeAuditEntry(tx, {
      ...opening.by,
      orgId,
      environment,
      action: 'lab_account.open_to_teams',
      subject: id,
      before: { team_id_allowlist: before.teamIds },
      after: { team_id_allowlist: after.teamIds },
      at,
    });
    return after;
  });
}

async function getAccount(tx: Tx, { orgId, environment, id }: TeamAllowlistChange): Promise<LabAccount> {
  const [account] = await store.listOrgAccounts(tx, { orgId, environment }, { id });
  return requireFound(account, 'Lab account');
}

async function requireTeams(tx: Tx, orgId: string, wanted: readonly string[]): Promise<void> {
  const known = new Set(await store.filterExistingTeams(tx, orgId, wanted));
  const missing = wanted.filter((id) => !known.has(id));
  if (missing.length > 0) throw new DomainError('not_found', `Team not found: ${missing.join(', ')}`);
}
