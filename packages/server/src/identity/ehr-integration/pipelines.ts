import type { z } from 'zod';
import type { App } from '../../app.ts';
import { writeAuditEntry, lockOrganization, type AuditActor } from '../management/management.ts';
import type { TenantCipher } from '../../platform/crypto/cipher.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { invalidField } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Environment, Tenant } from '../../platform/tenant.ts';
import {
  EhrAuthentication,
  MASK,
  viewPipeline,
  type PipelineView,
  type UpsertEhrPipelines,
} from './pipeline-schema.ts';
import * as store from './pipeline-store.ts';

const AUTHENTICATION_CONTEXT = 'ehr_pipeline.authentication';

type EhrPipelineView = z.input<typeof PipelineView>;

export const openPipeline = (cipher: TenantCipher, row: store.EhrPipelineRow): EhrPipelineView =>
  viewPipeline(row, openAuthentication(cipher, row));

const openAuthentication = (cipher: TenantCipher, row: store.EhrPipelineRow): EhrAuthentication =>
  EhrAuthentication.parse(JSON.parse(cipher.open(row.authentication, AUTHENTICATION_CONTEXT)));

/** The teams whose EHR pipelines are changed, and the author. */
export interface EhrPipelineCommand {
  readonly orgId: string;
  readonly environment: Environment;
  readonly teamIds: readonly string[];
  readonly by: AuditActor;
}

/** Sets the EHR pipeline of all the teams, or of none. */
export async function setPipelines(
  app: App,
  acting: EhrPipelineCommand,
  given: UpsertEhrPipelines,
): Promise<EhrPipelineView[]> {
  requireHttps(acting.environment, given);
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, acting.orgId);
    const set: EhrPipelineView[] = [];
    for (const teamId of acting.teamIds) {
      const tenant = { teamId, environment: acting.environment };
      const cipher = await app.keyring.cipherOf(tenant, tx);
      set.push(await setTeamPipeline(tx, { tenant, cipher, command: acting, at: app.clock.now() }, given));
    }
    return set;
  });
}

interface EhrPipelineScope {
  readonly tenant: Tenant;
  readonly cipher: TenantCipher;
  readonly command: EhrPipelineCommand;
  readonly at: Date;
}

async function setTeamPipeline(
  tx: Tx,
  { tenant, cipher, command, at }: EhrPipelineScope,
  given: UpsertEhrPipelines,
): Promise<EhrPipelineView> {
  const before = await store.findPipeline(tx, tenant, given.ehr_type);
  const authentication = restoreSecrets(given.authentication, before && openAuthentication(cipher, before));
  const columns = {
    type: 'ehr_linked' as const,
    base_url: given.base_url,
    authentication: cipher.seal(JSON.stringify(authentication), AUTHENTICATION_CONTEXT),
    allowed_mappers: given.allowed_mappers ?? null,
    updated_at: at,
  };
  const row = await store.upsertPipeline(tx, tenant, { id: newId(), ehrType: given.ehr_type, columns });
  const after = viewPipeline(row, authentication);
  await writeAuditEntry(tx, {
    ...command.by,
    orgId: command.orgId,
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

/** Replaces a mask with the stored secret; 422 where there is none. */
function restoreSecrets(given: EhrAuthentication, before: EhrAuthentication | undefined): EhrAuthentication {
  if (given.type === 'client_credentials' && given.client_secret === MASK) {
    if (before?.type !== given.type) throw noMaskedSecret('client_secret');
    return { ...given, client_secret: before.client_secret };
  }
  if (given.type === 'api_key' && given.api_key === MASK) {
    if (before?.type !== given.type) throw noMaskedSecret('api_key');
    return before;
  }
  return given;
}

const noMaskedSecret = (field: string) =>
  invalidField(
    ['body', 'authentication', field],
    'the secret is masked, but none is stored: send the secret itself',
  );

function requireHttps(environment: Environment, { base_url: url, authentication }: UpsertEhrPipelines): void {
  if (environment === 'sandbox') return;
  if (!url.startsWith('https:')) throw invalidField(['body', 'base_url'], 'expected an https address');
  if (authentication.type === 'client_credentials' && !authentication.token_url.startsWith('https:')) {
    throw invalidField(['body', 'authentication', 'token_url'], 'expected an https address');
  }
}

/** Deletes the EHR pipelines of teams; teams without one are skipped. */
export async function deletePipelines(
  app: App,
  acting: EhrPipelineCommand,
  ehrType: store.EhrType,
): Promise<void> {
  const { orgId, by, environment } = acting;
  await asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    for (const teamId of acting.teamIds) {
      const tenant = { teamId, environment };
      const row = await store.findPipeline(tx, tenant, ehrType);
      if (!row) continue;
      await store.deletePipeline(tx, tenant, ehrType);
      const before = openPipeline(await app.keyring.cipherOf(tenant, tx), row);
      const deed = { action: 'ehr_pipeline.delete', subject: row.id, before, at: app.clock.now() };
      await writeAuditEntry(tx, { ...by, orgId, teamId, environment, ...deed });
    }
  });
}
