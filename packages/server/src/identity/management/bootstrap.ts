import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { newManagementKey, newTeamKey } from './keys.ts';
import { insertManagementKey } from './management-keys.ts';
import { insertOrganization } from './organizations.ts';
import * as store from './store.ts';
import { insertTeamKey } from './team-keys.ts';
import { insertTeam, prepareTeam } from './teams.ts';

/** Where the credentials of the first start are stored. */
export const credentialsFile = (folder: string): string => join(folder, 'credentials.json');

/** The credentials that the first start creates, in the format of credentials.json. */
export interface BootstrapCredentials {
  readonly org_id: string;
  readonly team_id: string;
  readonly environment: 'sandbox';
  readonly team_api_key: string;
  readonly management_key: string;
}

/**
 * Creates one organization, one team, its sandbox key and an Org Management Key in an empty database, and returns
 * them once. The file is written before the commit: a kill between the two leaves a file that the next start
 * replaces, never a database with unknown keys. Concurrent first starts create one organization.
 */
export async function bootstrap(app: App): Promise<BootstrapCredentials | undefined> {
  if (await asSystem(app.db, store.findFirstOrganization)) return undefined;
  const prepared = await prepareTeam(app);
  return asSystem(app.db, async (tx) => {
    await store.lockBootstrap(tx);
    if (await store.findFirstOrganization(tx)) return undefined;
    const { config } = app;
    const { id: orgId } = await insertOrganization(app, tx, { name: 'Aliquot' });
    const team = { ...prepared, orgId, name: 'First team', region: config.REGION };
    const { id: teamId } = await insertTeam(app, tx, team);
    const tenant = { teamId, environment: 'sandbox' as const };
    const credentials: BootstrapCredentials = {
      org_id: orgId,
      team_id: teamId,
      environment: tenant.environment,
      team_api_key: config.BOOTSTRAP_TEAM_API_KEY ?? newTeamKey(tenant.environment, config.REGION),
      management_key: config.BOOTSTRAP_MANAGEMENT_KEY ?? newManagementKey(),
    };
    const { team_api_key: teamKey, management_key: managementKey } = credentials;
    const label = 'First key';
    await insertTeamKey(app, tx, { orgId, tenant, label, value: teamKey });
    await insertManagementKey(app, tx, { orgId, label, role: 'org_admin', value: managementKey });
    await writeCredentials(config.DATA_DIR, credentials);
    return credentials;
  });
}

async function writeCredentials(folder: string, credentials: BootstrapCredentials): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = credentialsFile(folder);
  await writeFile(`${file}.new`, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
}
