import { describe, expect, it } from 'vitest';
import { joinOrganization, signedIn } from '../../../test/members.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';

const service = useTestService();

const PASSWORD = 'violet-otter-mends-clock';
const change = (team: TestTeam, id: string, body: Record<string, unknown>) =>
  team.management.patch(`/v1/org/${team.orgId}/member/${id}`, {
    role: null,
    team_role_bindings: null,
    ...body,
  });

/** An owner, and a developer with a password. */
async function openOrganization() {
  const team = await service.team();
  const owner = await joinOrganization(service, team, { email: 'owner@clinic.example' });
  const email = `${team.orgId}@clinic.example`;
  const roles = [{ role: 'developer' }];
  const invite = await team.management.post(`/v1/org/${team.orgId}/invite`, {
    email,
    role: 'no_role',
    roles,
  });
  const token = String(invite.json.invite_url).split('#')[1];
  const body = { token, name: 'Dev', password: PASSWORD };
  const accepted = await service.client({}).post('/v1/invite/accept', body);
  return { team, owner, member: String(accepted.json.member.id), email };
}

const signIn = (email: string) => service.client({}).post('/v1/session', { email, password: PASSWORD });

describe('a deactivated member', () => {
  it('loses every access at once, and has the same roles after the reactivation', async () => {
    const { team, member, email } = await openOrganization();
    const session = await signedIn(service, member);
    const at = `/v1/org/${team.orgId}`;
    expect((await session.get(at)).status).toBe(200);
    const headers = { 'x-service-team-id': team.tenant.teamId, 'x-service-environment': 'sandbox' };
    const made = await session.post('/v2/user', { client_user_id: 'a' }, headers);
    expect(made.status).toBe(200);
    const link = await session.post('/v2/link/token', { user_id: made.json.user_id }, headers);
    const linkToken = { 'x-service-link-token': String(link.json.link_token) };
    const widget = () => service.client(linkToken).get('/v2/link/providers');
    const open = (await widget()).status;

    expect((await change(team, member, { is_active: false })).status).toBe(200);
    expect((await session.get(at)).status).toBe(401);
    expect((await signIn(email)).status).toBe(401);
    expect(
      (await service.client({}).post('/v1/session', { email, password: PASSWORD, org_id: team.orgId }))
        .status,
    ).toBe(401);
    await expect(signedIn(service, member)).rejects.toThrow('You have no access');
    expect([open, (await widget()).status]).toEqual([200, 401]);
    const { rows } = await service.ownerPool.query('select from issued_token where member_id = $1', [member]);
    expect(rows).toHaveLength(0);

    expect((await change(team, member, { is_active: true })).status).toBe(200);
    expect((await session.get(at)).status).toBe(401);
    expect((await signIn(email)).status).toBe(200);
    const { members } = (await team.management.get(`${at}/member`)).json;
    const shown = members.find(({ id }: { id: string }) => id === member);
    expect(shown).toMatchObject({ is_active: true, role: 'no_role', roles: [{ role: 'developer' }] });
  });

  it('is not the last org_admin, and no longer counts as one', async () => {
    const { team, owner, member } = await openOrganization();
    expect((await change(team, owner, { is_active: false })).status).toBe(409);
    expect((await change(team, member, { role: 'org_admin' })).status).toBe(200);
    expect((await change(team, member, { is_active: false })).status).toBe(200);
    const refused = await change(team, owner, { is_active: false });
    expect([refused.status, refused.json.detail]).toEqual([409, expect.stringContaining('last org_admin')]);
  });

  it('is reported in the audit log', async () => {
    const { team, member } = await openOrganization();
    await change(team, member, { is_active: false });
    const log = await team.management.get(`/v1/org/${team.orgId}/audit_log?action=member.update`);
    expect(log.json.data[0]).toMatchObject({ subject: member, after: { is_active: false } });
  });
});

describe('an owner by a group of the directory', () => {
  it('has all rights, is protected as an owner, and makes no invited administrator an owner', async () => {
    const { team, member } = await openOrganization();
    const grant = JSON.stringify([{ role: 'owner', team_id: null, environment: null }]);
    await service.ownerPool.query('update organization_member set is_owner = false where org_id = $1', [
      team.orgId,
    ]);
    await service.ownerPool.query('update organization_member set directory_roles = $2 where id = $1', [
      member,
      grant,
    ]);
    const session = await signedIn(service, member);
    const admin = await joinOrganization(service, team, { email: 'admin@clinic.example' });
    const appointed = await session.patch(`/v1/org/${team.orgId}/member/${admin}`, {
      role: 'org_admin',
      team_role_bindings: null,
      is_owner: false,
    });
    expect(appointed.status).toBe(200);
    const { members } = (await session.get(`/v1/org/${team.orgId}/member`)).json;
    expect(members.map(({ is_owner }: { is_owner: boolean }) => is_owner)).toEqual([false, false, false]);
    const path = `/v1/org/${team.orgId}/member/${member}`;
    expect((await (await signedIn(service, admin)).delete(path)).status).toBe(403);
    expect((await session.delete(path)).status).toBe(409);
  });
});
