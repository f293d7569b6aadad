import type { App } from '../app.ts';
import { audit, holdTeam, type Author } from '../management/management.ts';
import type { TenantCipher } from '../platform/crypto/cipher.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import { newId } from '../platform/ids.ts';
import type { Environment, Tenant } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import { handOn } from './hand-on.ts';
import { beginHandingOn } from './hand-on-store.ts';
import { rolesOf, type Settings } from './preferences.ts';
import { dueNow } from './queue-store.ts';
import { checkAddresses } from './reach.ts';
import { viewPipeline, type UpsertPipelines } from './schema.ts';
import { sealSettings } from './sealed.ts';
import { changed, refuseMissing, settingsOf } from './settings.ts';
import * as store from './store.ts';

/** Whose settings somebody changes, and who. */
export interface Acting {
  readonly orgId: string;
  readonly teamIds: readonly string[];
  readonly environment: Environment;
  readonly by: Author;
}

interface OneTeam {
  readonly tenant: Tenant;
  readonly cipher: TenantCipher;
}

/** The settings of a team, opened. */
export interface TeamSettings {
  readonly teamId: string;
  readonly settings: Settings;
}

/** Sets the settings of all the teams, or of none. */
export async function setPipelines(
  app: App,
  acting: Acting,
  change: UpsertPipelines,
): Promise<TeamSettings[]> {
  refuseMissing(change);
  await checkAddresses(app.config, acting.environment, change);
  const teams = await teamsOf(app, acting);
  const at = app.clock.now();
  const set = await asSystem(app.db, async (tx) => {
    const after: TeamSettings[] = [];
    for (const team of teams) after.push(await setOne(tx, { ...team, acting, at }, change));
    return after;
  });
  app.bell.ring('deliveries');
  return set;
}

/** In the order of their ids, so that two callers never wait for each other crosswise. */
const teamsOf = (app: App, { teamIds, environment }: Acting): Promise<OneTeam[]> =>
  Promise.all(
    [...new Set(teamIds)].toSorted().map(async (teamId) => {
      const tenant = { teamId, environment };
      return { tenant, cipher: await app.keyring.of(tenant) };
    }),
  );

async function setOne(
  tx: Tx,
  { tenant, cipher, acting, at }: OneTeam & { acting: Acting; at: Date },
  change: UpsertPipelines,
): Promise<TeamSettings> {
  const { teamId } = tenant;
  await holdTeam(tx, teamId);
  const row = await store.holdPipeline(tx, tenant);
  const before = row && settingsOf(row, cipher);
  const after = changed(before, change);
  await store.writePipeline(tx, tenant, {
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
  await audit(tx, {
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

/** The brokers are afterwards those of the preferences. What waits for a main one that is it no more goes to the new. */
async function setDestinations(
  tx: Tx,
  tenant: Tenant,
  { settings, at }: { settings: Settings; at: Date },
): Promise<void> {
  const before = await store.listDestinations(tx, tenant);
  const roles = rolesOf(settings);
  for (const [broker, role] of roles) {
    const id = await store.writeDestination(tx, tenant, { id: newId(), broker, role, at });
    await dueNow(tx, id, { now: at });
  }
  const known = before.map(({ broker }) => broker);
  // Who is new was given nothing by anybody.
  if ([...roles.keys()].some((broker) => !known.includes(broker))) await store.forgetHandedOver(tx, tenant);
  for (const { id, broker, role, hands_on_up_to: upTo } of before) {
    if (roles.get(broker) === 'main') continue;
    const owesMain = roles.size > 0 && (role === 'main' || upTo !== null);
    const handsOn = owesMain && (await beginHandingOn(tx, tenant, id));
    if (roles.has(broker)) continue;
    if (handsOn) await store.retireDestination(tx, tenant, id);
    else await store.deleteDestination(tx, tenant, id);
  }
  await handOn(tx, tenant, at);
}

/** Takes the settings of teams away: they have webhooks alone again. Answers what was taken. */
export async function removePipelines(app: App, acting: Acting): Promise<TeamSettings[]> {
  const teams = await teamsOf(app, acting);
  const at = app.clock.now();
  return asSystem(app.db, async (tx) => {
    const removed: TeamSettings[] = [];
    for (const { tenant, cipher } of teams) {
      const row = await store.holdPipeline(tx, tenant);
      if (!row) continue;
      const { teamId, environment } = tenant;
      const settings = settingsOf(row, cipher);
      await store.deletePipeline(tx, tenant);
      const told = { subject: teamId, before: viewPipeline(teamId, settings) };
      const { by, orgId } = acting;
      await audit(tx, { ...by, orgId, teamId, environment, action: 'pipeline.delete', ...told, at });
      removed.push({ teamId, settings });
    }
    return removed;
  });
}

/** The team is no more, and has no brokers either; what waits for them stays in the log. */
export async function endPipelines({ tx, tenant }: Work): Promise<void> {
  await store.holdPipeline(tx, tenant);
  await store.deletePipeline(tx, tenant);
}
