import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { App } from '../app.ts';
import { audit, countTeams, findByIntegration, type Author } from '../management/management.ts';
import { later, MINUTE, SECOND } from '../platform/clock.ts';
import { publicUrl } from '../platform/public-url.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import { DomainError, found, invalidField } from '../platform/errors.ts';
import { ENVIRONMENTS, type Environment } from '../platform/tenant.ts';
import { findConfiguration } from './configuration-store.ts';
import { findByForeignId, findMember, type MemberRow } from './member-store.ts';
import type { CreateDashboardUrl } from './schema.ts';
import type { Modality } from './table.ts';

const LIFE_MS = 5 * MINUTE;

const Claims = z.object({
  sub: z.guid(),
  org: z.guid(),
  team: z.guid().nullable(),
  env: z.enum(ENVIRONMENTS),
  feature: z.string(),
  modality: z.enum(['feature_embed', 'link_out']),
});

interface Asked extends CreateDashboardUrl {
  readonly orgId: string;
  readonly by: Author;
}

/**
 * The address of the dashboard for one person, with a signed session that is good for 5 minutes. 400 where this
 * deployment has no dashboard, or the configuration does not allow the modality; 404 for an unknown person or team;
 * 403 for a person who is bound to other teams.
 */
export async function dashboardUrl(app: App, asked: Asked): Promise<{ url: string; expires_in: number }> {
  requireOne(asked, ['member_id', 'integration_member_id']);
  requireOne(asked, ['team_id', 'integration_team_id'], 'at most');
  const { DASHBOARD_URL: base } = app.config;
  if (base === undefined) {
    throw new DomainError(
      'bad_request',
      'This deployment has no dashboard to lead to: DASHBOARD_URL is not set',
    );
  }
  const { member, teamId } = await asSystem(app.db, (tx) => permitted(app, tx, asked));
  const claims = { org: asked.orgId, team: teamId, env: asked.environment };
  const now = app.clock.now();
  const session = await new SignJWT({ ...claims, feature: asked.feature, modality: asked.modality })
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

async function permitted(
  app: App,
  tx: Tx,
  asked: Asked,
): Promise<{ member: MemberRow; teamId: string | null }> {
  const { orgId, by, modality, environment, feature } = asked;
  const configuration = await findConfiguration(tx, orgId);
  if (!configuration?.modalities.includes(modality)) {
    throw new DomainError(
      'bad_request',
      `The configuration of the EHR integration does not allow ${modality}`,
    );
  }
  const member = found(await memberOf(tx, asked), 'Member');
  const teamId = await teamOf(tx, asked);
  if (teamId !== null && !isBound(member, teamId)) {
    throw new DomainError('forbidden', 'The member is not bound to this team');
  }
  const after = { team_id: teamId, environment, feature, modality };
  const deed = { action: 'dashboard_session.create', subject: member.id, after, at: app.clock.now() };
  await audit(tx, { ...by, orgId, ...(teamId === null ? {} : { teamId }), ...deed });
  return { member, teamId };
}

const memberOf = (tx: Tx, { orgId, member_id: id, integration_member_id: foreignId }: Asked) =>
  id ? findMember(tx, orgId, id) : findByForeignId(tx, orgId, foreignId ?? '');

/** The team that is named, if one is. */
async function teamOf(tx: Tx, { orgId, ...asked }: Asked): Promise<string | null> {
  if (asked.integration_team_id) {
    const wanted = { orgId, integrationTeamId: asked.integration_team_id };
    return found(await findByIntegration(tx, wanted), 'Team').id;
  }
  if (!asked.team_id) return null;
  const id = asked.team_id.toLowerCase();
  if ((await countTeams(tx, orgId, [id])) === 0) throw new DomainError('not_found', 'Team not found');
  return id;
}

type IdField = 'member_id' | 'integration_member_id' | 'team_id' | 'integration_team_id';

function requireOne(asked: Asked, fields: [IdField, IdField], how: 'exactly' | 'at most' = 'exactly'): void {
  const given = fields.filter((field) => asked[field] != null).length;
  if (given === 1 || (given === 0 && how === 'at most')) return;
  throw invalidField(['body', fields[0]], `expected ${how} one of ${fields.join(' and ')}`);
}

/** Whom a session of the dashboard stands for, and for what. */
export interface Session {
  readonly member: MemberRow;
  readonly team_id: string | null;
  readonly environment: Environment;
  readonly feature: string;
  readonly modality: Modality;
}

/**
 * Reads a session that the dashboard was given. 400 for one that is not ours, not this organization's, or over, and where
 * the person or the team is no longer there, or the person no longer bound to it.
 */
export async function readSession(app: App, orgId: string, session: string): Promise<Session> {
  const options = { issuer: issuer(app), algorithms: ['HS256'], currentDate: app.clock.now() };
  const { payload } = await jwtVerify(session, signingKey(app), options).catch(() => {
    throw notValid();
  });
  const { sub, org, team, env, feature, modality } = Claims.parse(payload);
  if (org !== orgId) throw notValid();
  const member = await asSystem(app.db, (tx) => stillPermitted(tx, { orgId, memberId: sub, teamId: team }));
  if (!member) throw notValid();
  return { member, team_id: team, environment: env, feature, modality };
}

async function stillPermitted(
  tx: Tx,
  { orgId, memberId, teamId }: { orgId: string; memberId: string; teamId: string | null },
): Promise<MemberRow | undefined> {
  const member = await findMember(tx, orgId, memberId);
  if (!member || teamId === null) return member;
  const isThere = (await countTeams(tx, orgId, [teamId])) > 0;
  return isThere && isBound(member, teamId) ? member : undefined;
}

const isBound = ({ team_ids }: MemberRow, teamId: string): boolean => team_ids?.includes(teamId) ?? true;

const notValid = () => new DomainError('bad_request', 'The session is not valid, or is older than 5 minutes');
