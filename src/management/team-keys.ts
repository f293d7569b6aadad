import type { App } from '../app.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import { newId } from '../platform/ids.ts';
import type { Environment, Tenant } from '../platform/tenant.ts';
import { audit, theService, type Author } from './audit.ts';
import { forgetKeys } from './gate.ts';
import * as store from './key-store.ts';
import { digestOf, newTeamKey, prefixOf } from './keys.ts';

export interface NewTeamKey {
  readonly orgId: string;
  readonly tenant: Tenant;
  readonly label: string;
  /** Instead of a random one. */
  readonly value?: string;
  readonly by?: Author;
}

export interface MadeTeamKey {
  readonly id: string;
  readonly label: string;
  readonly teamId: string;
  readonly value: string;
  readonly createdAt: Date;
}

/** Makes a team key. The value is answered here and never again. */
export const createTeamKey = (app: App, key: Omit<NewTeamKey, 'orgId'> & { orgId?: string }) =>
  asSystem(app.db, async (tx) =>
    insertTeamKey(app, tx, { ...key, orgId: key.orgId ?? (await store.getOrgOf(tx, key.tenant.teamId)) }),
  );

export async function insertTeamKey(app: App, tx: Tx, key: NewTeamKey): Promise<MadeTeamKey> {
  const { tenant, label, orgId } = key;
  const value = key.value ?? newTeamKey(tenant.environment, app.config.REGION);
  const id = newId();
  const createdAt = app.clock.now();
  await store.insertTeamKey(tx, {
    id,
    team_id: tenant.teamId,
    environment: tenant.environment,
    label,
    prefix: prefixOf(value),
    digest: digestOf(value),
    created_at: createdAt,
  });
  await audit(tx, {
    ...(key.by ?? theService),
    orgId,
    teamId: tenant.teamId,
    action: 'team_api_key.create',
    subject: id,
    after: { label, environment: tenant.environment },
    at: createdAt,
  });
  return { id, label, teamId: tenant.teamId, value, createdAt };
}

export interface Revocation {
  readonly orgId: string;
  readonly environment: Environment;
  readonly ids: readonly string[];
  /** The teams whose keys may be revoked; null is all of the organization. */
  readonly teamIds: ReadonlySet<string> | null;
  readonly by: Author;
}

/** Revokes team keys, dead at once on this node; answers the ids of those that were there. */
export async function revokeTeamKeys(app: App, revocation: Revocation): Promise<Set<string>> {
  const at = app.clock.now();
  const revoked = await asSystem(app.db, async (tx) => {
    const keys = await store.revokeTeamKeys(tx, revocation, at);
    for (const key of keys) {
      await audit(tx, {
        ...revocation.by,
        orgId: revocation.orgId,
        teamId: key.team_id,
        action: 'team_api_key.delete',
        subject: key.id,
        before: { label: key.label, environment: revocation.environment },
        at,
      });
    }
    return keys;
  });
  forgetKeys(app);
  return new Set(revoked.map(({ id }) => id));
}
