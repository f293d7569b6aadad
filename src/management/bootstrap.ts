import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../app.ts';
import { execute, asSystem } from '../platform/db/transact.ts';
import { newId } from '../platform/ids.ts';
import { audit } from './audit.ts';
import { newManagementKey, newTeamKey } from './keys.ts';
import { insertManagementKey, insertTeam, insertTeamKey } from './management.ts';
import * as store from './store.ts';

/** What the first start makes, as credentials.json keeps it. */
export interface Credentials {
  readonly org_id: string;
  readonly team_id: string;
  readonly environment: 'sandbox';
  readonly team_api_key: string;
  readonly management_key: string;
}

/**
 * On an empty database: one organization, one team, its sandbox key and an organization management key.
 * Answers them once. The file is written before the commit: a kill between the two leaves a file that the next
 * start replaces, never a database whose keys nobody knows. Several first starts at once make one.
 */
export function bootstrap(app: App): Promise<Credentials | undefined> {
  return asSystem(app.db, async (tx) => {
    await execute(tx, "select pg_advisory_xact_lock(hashtextextended('aliquot.bootstrap', 0))");
    if (await store.findFirstOrganization(tx)) return undefined;
    const { config } = app;
    const orgId = newId();
    await store.insertOrganization(tx, { id: orgId, name: 'Aliquot', plan: 'scale', created_at: app.clock.now() });
    const { id: teamId } = await insertTeam(app, tx, { orgId, name: 'First team', region: config.REGION });
    const credentials: Credentials = {
      org_id: orgId,
      team_id: teamId,
      environment: 'sandbox',
      team_api_key: config.BOOTSTRAP_TEAM_API_KEY ?? newTeamKey('sandbox', config.REGION),
      management_key: config.BOOTSTRAP_MANAGEMENT_KEY ?? newManagementKey(),
    };
    const tenant = { teamId, environment: 'sandbox' as const };
    await insertTeamKey(app, tx, { tenant, label: 'First key', value: credentials.team_api_key });
    const management = { orgId, label: 'First key', role: 'org_admin' as const, value: credentials.management_key };
    await insertManagementKey(app, tx, management);
    const deed = { orgId, actor: 'bootstrap', action: 'organization.create', subject: orgId, at: app.clock.now() };
    await audit(tx, deed);
    await keep(config.DATA_DIR, credentials);
    return credentials;
  });
}

async function keep(folder: string, credentials: Credentials): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'credentials.json');
  await writeFile(`${file}.new`, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
}
