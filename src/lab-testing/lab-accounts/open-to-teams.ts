import type { App } from '../../app.ts';
import { audit, type Author } from '../../management/management.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, found } from '../../platform/errors.ts';
import type { Environment } from '../../platform/tenant.ts';
import * as store from './org-store.ts';
import type { LabAccount } from './schema.ts';

export interface Opening {
  readonly orgId: string;
  readonly environment: Environment;
  readonly id: string;
  /** The whole allowlist. */
  readonly teamIds: readonly string[];
  readonly by: Author;
}

/**
 * Opens a lab account to these teams of the organization and to no other. Orders that were placed through it stay
 * with it. A 404 for an account or a team that the organization does not have.
 */
export function openToTeams(app: App, opening: Opening): Promise<LabAccount> {
  const { orgId, environment, id } = opening;
  const teamIds = [...new Set(opening.teamIds.map((teamId) => teamId.toLowerCase()))];
  const at = app.clock.now();
  return asSystem(app.db, async (tx) => {
    await store.lockAccount(tx, { orgId, environment }, id);
    const before = await getAccount(tx, opening);
    await requireTeams(tx, orgId, teamIds);
    await store.replaceAllowlist(tx, { orgId, environment, id, teamIds, at });
    const after = await getAccount(tx, opening);
    await audit(tx, {
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

async function getAccount(tx: Tx, { orgId, environment, id }: Opening): Promise<LabAccount> {
  const [account] = await store.listOrgAccounts(tx, { orgId, environment }, { id });
  return found(account, 'Lab account');
}

async function requireTeams(tx: Tx, orgId: string, wanted: readonly string[]): Promise<void> {
  const known = new Set(await store.listTeamsAmong(tx, orgId, wanted));
  const missing = wanted.filter((id) => !known.has(id));
  if (missing.length > 0) throw new DomainError('not_found', `Team not found: ${missing.join(', ')}`);
}
