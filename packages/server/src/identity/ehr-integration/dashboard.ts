import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { App } from '../../app.ts';
import {
  writeAuditEntry,
  countTeams,
  findPrivileges,
  findTeamByIntegrationId,
  requirePrivileges,
  type AuditActor,
} from '../management/management.ts';
import { later, MINUTE, SECOND } from '../../platform/clock.ts';
import { publicUrl } from '../../platform/public-url.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, requireFound, invalidField } from '../../platform/errors.ts';
import { ENVIRONMENTS, type Environment } from '../../platform/tenant.ts';
import { findConfiguration } from './configuration-store.ts';
import { findByIntegrationId, findMember, type EhrMemberRow } from './member-store.ts';
import type { CreateDashboardUrl } from './schema.ts';
import type { EhrModality } from './table.ts';

const LIFE_MS = 5 * MINUTE;

const Claims = z.object({
  sub: z.guid(),
  org: z.guid(),
  team: z.guid().nullable(),
  env: z.enum(ENVIRONMENTS),
  feature: z.string(),
  modality: z.enum(['feature_embed', 'link_out']),
  /** The management key or member that made the session, and its privileges then. */
  by: z.string(),
  privileges: z.string(),
});

interface DashboardUrlRequest extends CreateDashboardUrl {
  readonly orgId: string;
  readonly by: AuditActor;
}

/**
 * Creates a dashboard URL for one member, with a signed session that is valid for 5 minutes, or until the key that made
 * it is revoked. 400 where this deployment
 * has no dashboard, or the configuration does not allow the modality; 404 for an unknown member or team; 403 for a
 * member who is bound to other teams.
 */
export async function createDashboardUrl(
  app: App,
  asked: DashboardUrlRequest,
): Promise<{ url: string; expires_in: number }> {
  requireOneOf(asked, ['member_id', 'integration_member_id']);
  requireOneOf(asked, ['team_id', 'integration_team_id'], 'at most');
  const { DASHBOARD_URL: base } = app.config;
  if (base === undefined) {
    throw new DomainError('bad_request', 'This deployment has no dashboard: DASHBOARD_URL is not set');
  }
  const { member, teamId, privileges } = await asSystem(app.db, (tx) => authorizeSession(app, tx, asked));
  const { orgId: org, environment: env, feature, modality, by } = asked;
  const now = app.clock.now();
  const claims = { org, team: teamId, env, feature, modality, by: by.actor, privileges };
  const session = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(issuer(app))
    .setSubject(member.id)
    .setIssuedAt(now)
    .setExpirationTime(later(now, LIFE_MS))
    .sign(signingKey(app));
  return { url: `${base}?session=${session}`, expires_in: LIFE_MS / SECOND };
}

const issuer = ({ config }: App) => publicUrl(config, '');
const signingKey = ({ keyring }: App) => keyring.derive('dashboard-session');

async function authorizeSession(
  app: App,
  tx: Tx,
  asked: DashboardUrlRequest,
): Promise<{ member: EhrMemberRow; teamId: string | null; privileges: string }> {
  const { orgId, by, modality, environment, feature } = asked;
  const configuration = await findConfiguration(tx, orgId);
  if (!configuration?.modalities.includes(modality)) {
    throw new DomainError(
      'bad_request',
      `The EHR integration configuration does not allow the modality ${modality}`,
    );
  }
  const member = requireFound(await findRequestedMember(tx, asked), 'Member');
  const teamId = await findRequestedTeamId(tx, asked);
  if (teamId !== null && !isBound(member, teamId)) {
    throw new DomainError('forbidden', 'The member is not bound to this team');
  }
  const privileges = await requirePrivileges(tx, { orgId, actor: by.actor, now: app.clock.now() });
  const after = { team_id: teamId, environment, feature, modality };
  const deed = { action: 'dashboard_session.create', subject: member.id, after, at: app.clock.now() };
  await writeAuditEntry(tx, { ...by, orgId, ...(teamId === null ? {} : { teamId }), ...deed });
  return { member, teamId, privileges };
}

const findRequestedMember = (
  tx: Tx,
  { orgId, member_id: id, integration_member_id: foreignId }: DashboardUrlRequest,
) => (id ? findMember(tx, orgId, id) : findByIntegrationId(tx, orgId, foreignId ?? ''));

/** The id of the requested team, if any. */
async function findRequestedTeamId(tx: Tx, { orgId, ...asked }: DashboardUrlRequest): Promise<string | null> {
  if (asked.integration_team_id) {
    const wanted = { orgId, integrationTeamId: asked.integration_team_id };
    return requireFound(await findTeamByIntegrationId(tx, wanted), 'Team').id;
  }
  if (!asked.team_id) return null;
  const id = asked.team_id.toLowerCase();
  if ((await countTeams(tx, orgId, [id])) === 0) throw new DomainError('not_found', 'Team not found');
  return id;
}

type DashboardIdField = 'member_id' | 'integration_member_id' | 'team_id' | 'integration_team_id';

function requireOneOf(
  asked: DashboardUrlRequest,
  fields: [DashboardIdField, DashboardIdField],
  how: 'exactly' | 'at most' = 'exactly',
): void {
  const given = fields.filter((field) => asked[field] != null).length;
  if (given === 1 || (given === 0 && how === 'at most')) return;
  throw invalidField(['body', fields[0]], `expected ${how} one of ${fields.join(' and ')}`);
}

/** The member and the scope of a dashboard session. */
interface DashboardSession {
  readonly member: EhrMemberRow;
  readonly team_id: string | null;
  readonly environment: Environment;
  readonly feature: string;
  readonly modality: EhrModality;
}

/**
 * Verifies a dashboard session. 400 for an invalid or expired session, one of another organization, and where the
 * member or the team no longer exists, the member is no longer bound to the team, or who made it lost the privileges.
 */
export async function verifyDashboardSession(
  app: App,
  orgId: string,
  session: string,
): Promise<DashboardSession> {
  const options = { issuer: issuer(app), algorithms: ['HS256'], currentDate: app.clock.now() };
  const { payload } = await jwtVerify(session, signingKey(app), options).catch(() => {
    throw invalidSession();
  });
  // A session of an earlier version names nobody who made it.
  const claims = Claims.safeParse(payload).data;
  if (claims?.org !== orgId) throw invalidSession();
  const { sub, team, env, feature, modality, by: actor } = claims;
  const member = await asSystem(app.db, async (tx) => {
    const privileges = await findPrivileges(tx, { orgId, actor, now: app.clock.now() });
    if (privileges !== claims.privileges) return undefined;
    return findPermittedMember(tx, { orgId, memberId: sub, teamId: team });
  });
  if (!member) throw invalidSession();
  return { member, team_id: team, environment: env, feature, modality };
}

async function findPermittedMember(
  tx: Tx,
  { orgId, memberId, teamId }: { orgId: string; memberId: string; teamId: string | null },
): Promise<EhrMemberRow | undefined> {
  const member = await findMember(tx, orgId, memberId);
  if (!member || teamId === null) return member;
  const isThere = (await countTeams(tx, orgId, [teamId])) > 0;
  return isThere && isBound(member, teamId) ? member : undefined;
}

const isBound = ({ team_ids }: EhrMemberRow, teamId: string): boolean => team_ids?.includes(teamId) ?? true;

const invalidSession = () =>
  new DomainError('bad_request', 'The session is not valid, or is older than 5 minutes');
