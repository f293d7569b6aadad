import type { App } from '../../app.ts';
import { writeAuditEntry, lockExistingTeam, type AuditActor } from '../../identity/management/management.ts';
import type { TenantCipher } from '../../platform/crypto/cipher.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { newId } from '../../platform/ids.ts';
import type { Environment, Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { transferBacklog } from './backlog-transfer.ts';
import { beginBacklogTransfer } from './backlog-transfer-store.ts';
import { rolesOf, type PipelineSettings } from './preferences.ts';
import { makeDueNow } from './queue-store.ts';
import { checkAddresses } from './broker-addresses.ts';
import { viewPipeline, type UpsertPipelinesBody } from './schema.ts';
import { sealSettings } from './sealed-settings.ts';
import { applyChange, refuseUnsupported, openPipelineSettings } from './settings.ts';
import * as store from './store.ts';

/** The teams whose settings are changed, and the author. */
export interface PipelineChangeContext {
  readonly orgId: string;
  readonly teamIds: readonly string[];
  readonly environment: Environment;
  readonly by: AuditActor;
}

interface PipelineTenant {
  readonly tenant: Tenant;
  readonly cipher: TenantCipher;
}

/** The decrypted settings of a team. */
export interface TeamPipelineSettings {
  readonly teamId: string;
  readonly settings: PipelineSettings;
}

/** Changes the settings of all the teams in one transaction. */
export async function setPipelines(
  app: App,
  acting: PipelineChangeContext,
  change: UpsertPipelinesBody,
): Promise<TeamPipelineSettings[]> {
  refuseUnsupported(change);
  await checkAddresses(app.config, acting.environment, change);
  const teams = await teamsOf(app, acting);
  const at = app.clock.now();
  const set = await asSystem(app.db, async (tx) => {
    const after: TeamPipelineSettings[] = [];
    for (const team of teams) after.push(await setTeamPipeline(tx, { ...team, acting, at }, change));
    return after;
  });
  app.notifier.notify('deliveries');
  return set;
}

/** Sorted by id, so that concurrent callers cannot deadlock. */
const teamsOf = (app: App, { teamIds, environment }: PipelineChangeContext): Promise<PipelineTenant[]> =>
  Promise.all(
    [...new Set(teamIds)].toSorted().map(async (teamId) => {
      const tenant = { teamId, environment };
      return { tenant, cipher: await app.keyring.cipherOf(tenant) };
    }),
  );

async function setTeamPipeline(
  tx: Tx,
  { tenant, cipher, acting, at }: PipelineTenant & { acting: PipelineChangeContext; at: Date },
  change: UpsertPipelinesBody,
): Promise<TeamPipelineSettings> {
  const { teamId } = tenant;
  await lockExistingTeam(tx, teamId);
  const row = await store.lockPipeline(tx, tenant);
  const before = row && openPipelineSettings(row, cipher);
  const after = applyChange(before, change);
  await store.upsertPipeline(tx, tenant, {
    push_historical_data: after.pushHistoricalData,
    provider_raw_data: after.providerRawData,
    preferred: after.preferred,
    enabled: [...after.enabled],
    event_type_prefixes: after.eventTypePrefixes && [...after.eventTypePrefixes],
    rabbitmq: sealSettings.rabbitmq(cipher, after.rabbitmq),
    nats: sealSettings.nats(cipher, after.nats),
    updated_at: at,
  });
  await setDestinations(tx, tenant, { settings: after, at });
  await writeAuditEntry(tx, {
    ...acting.by,
    orgId: acting.orgId,
    teamId,
    environment: tenant.environment,
    action: 'pipeline.set',
    subject: teamId,
    before: before && viewPipeline(teamId, before),
    after: viewPipeline(teamId, after),
    at,
  });
  return { teamId, settings: after };
}

/** Makes the brokers match the preferences. The backlog of a former main broker goes to the new one. */
async function setDestinations(
  tx: Tx,
  tenant: Tenant,
  { settings, at }: { settings: PipelineSettings; at: Date },
): Promise<void> {
  const before = await store.listDestinations(tx, tenant);
  const roles = rolesOf(settings);
  for (const [broker, role] of roles) {
    const id = await store.upsertDestination(tx, tenant, { id: newId(), broker, role, at });
    await makeDueNow(tx, id, { now: at });
  }
  const known = before.map(({ broker }) => broker);
  // A new broker has received no backlog yet.
  if ([...roles.keys()].some((broker) => !known.includes(broker))) await store.resetAllHandedOver(tx, tenant);
  for (const { id, broker, role, hands_on_up_to: upTo } of before) {
    if (roles.get(broker) === 'main') continue;
    const owesMain = roles.size > 0 && (role === 'main' || upTo !== null);
    const handsOn = owesMain && (await beginBacklogTransfer(tx, tenant, id));
    if (roles.has(broker)) continue;
    if (handsOn) await store.retireDestination(tx, tenant, id);
    else await store.deleteDestination(tx, tenant, id);
  }
  await transferBacklog(tx, tenant, at);
}

/** Deletes the settings of teams, which then use webhooks only. Returns the deleted settings. */
export async function removePipelines(
  app: App,
  acting: PipelineChangeContext,
): Promise<TeamPipelineSettings[]> {
  const teams = await teamsOf(app, acting);
  const at = app.clock.now();
  return asSystem(app.db, async (tx) => {
    const removed: TeamPipelineSettings[] = [];
    for (const { tenant, cipher } of teams) {
      const row = await store.lockPipeline(tx, tenant);
      if (!row) continue;
      const { teamId, environment } = tenant;
      const settings = openPipelineSettings(row, cipher);
      await store.deletePipeline(tx, tenant);
      const told = { subject: teamId, before: viewPipeline(teamId, settings) };
      const { by, orgId } = acting;
      await writeAuditEntry(tx, {
        ...by,
        orgId,
        teamId,
        environment,
        action: 'pipeline.delete',
        ...told,
        at,
      });
      removed.push({ teamId, settings });
    }
    return removed;
  });
}

/** Deletes the brokers of a deleted team; its events stay in the log. */
export async function deletePipelinesOfTeam({ tx, tenant }: Work): Promise<void> {
  await store.lockPipeline(tx, tenant);
  await store.deletePipeline(tx, tenant);
}
