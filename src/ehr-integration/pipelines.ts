import type { z } from 'zod';
import type { App } from '../app.ts';
import { audit, lockOrganization, type Author } from '../management/management.ts';
import type { TenantCipher } from '../platform/crypto/cipher.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import { invalidField } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Environment, Tenant } from '../platform/tenant.ts';
import {
  Authentication,
  MASK,
  viewPipeline,
  type PipelineView,
  type UpsertPipelines,
} from './pipeline-schema.ts';
import * as store from './pipeline-store.ts';

const PLACE = 'ehr_pipeline.authentication';

type View = z.input<typeof PipelineView>;

export const openPipeline = (cipher: TenantCipher, row: store.PipelineRow): View =>
  viewPipeline(row, openAuthentication(cipher, row));

const openAuthentication = (cipher: TenantCipher, row: store.PipelineRow): Authentication =>
  Authentication.parse(JSON.parse(cipher.open(row.authentication, PLACE)));

/** Whose record systems somebody changes, and who. */
export interface Acting {
  readonly orgId: string;
  readonly environment: Environment;
  readonly teamIds: readonly string[];
  readonly by: Author;
}

/** Sets the record system of all the teams, or of none. */
export async function setPipelines(app: App, acting: Acting, given: UpsertPipelines): Promise<View[]> {
  requireHttps(acting.environment, given);
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, acting.orgId);
    const set: View[] = [];
    for (const teamId of acting.teamIds) {
      const tenant = { teamId, environment: acting.environment };
      const cipher = await app.keyring.of(tenant, tx);
      set.push(await setOne(tx, { tenant, cipher, acting, at: app.clock.now() }, given));
    }
    return set;
  });
}

interface OneTeam {
  readonly tenant: Tenant;
  readonly cipher: TenantCipher;
  readonly acting: Acting;
  readonly at: Date;
}

async function setOne(
  tx: Tx,
  { tenant, cipher, acting, at }: OneTeam,
  given: UpsertPipelines,
): Promise<View> {
  const before = await store.findPipeline(tx, tenant, given.ehr_type);
  const authentication = unmasked(given.authentication, before && openAuthentication(cipher, before));
  const columns = {
    type: 'ehr_linked' as const,
    base_url: given.base_url,
    authentication: cipher.seal(JSON.stringify(authentication), PLACE),
    allowed_mappers: given.allowed_mappers ?? null,
    updated_at: at,
  };
  const row = await store.writePipeline(tx, tenant, { id: newId(), ehrType: given.ehr_type, columns });
  const after = viewPipeline(row, authentication);
  await audit(tx, {
    ...acting.by,
    orgId: acting.orgId,
    teamId: tenant.teamId,
    environment: tenant.environment,
    action: 'ehr_pipeline.set',
    subject: row.id,
    before: before && openPipeline(cipher, before),
    after,
    at,
  });
  return after;
}

/** The secret that a mask stands for; a mask that stands for none is a mistake. */
function unmasked(given: Authentication, before: Authentication | undefined): Authentication {
  if (given.type === 'client_credentials' && given.client_secret === MASK) {
    if (before?.type !== given.type) throw nothingMasked('client_secret');
    return { ...given, client_secret: before.client_secret };
  }
  if (given.type === 'api_key' && given.api_key === MASK) {
    if (before?.type !== given.type) throw nothingMasked('api_key');
    return before;
  }
  return given;
}

const nothingMasked = (field: string) =>
  invalidField(['body', 'authentication', field], 'the secret is masked, and none was set before');

function requireHttps(environment: Environment, { base_url: url, authentication }: UpsertPipelines): void {
  if (environment === 'sandbox') return;
  if (!url.startsWith('https:')) throw invalidField(['body', 'base_url'], 'expected an https address');
  if (authentication.type === 'client_credentials' && !authentication.token_url.startsWith('https:')) {
    throw invalidField(['body', 'authentication', 'token_url'], 'expected an https address');
  }
}

/** Takes record systems away from teams; those that have none are passed over. */
export async function deletePipelines(app: App, acting: Acting, ehrType: store.EhrType): Promise<void> {
  const { orgId, by, environment } = acting;
  await asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    for (const teamId of acting.teamIds) {
      const tenant = { teamId, environment };
      const row = await store.findPipeline(tx, tenant, ehrType);
      if (!row) continue;
      await store.deletePipeline(tx, tenant, ehrType);
      const before = openPipeline(await app.keyring.of(tenant, tx), row);
      const deed = { action: 'ehr_pipeline.delete', subject: row.id, before, at: app.clock.now() };
      await audit(tx, { ...by, orgId, teamId, environment, ...deed });
    }
  });
}
