import { describe, expect, it } from 'vitest';
import { joinOrganization, signedIn } from '../../../test/members.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { MINUTE } from '../../platform/clock.ts';

const service = useTestService();

describe('a member', () => {
  it('changes the own name; the session stays, and the log knows it', async () => {
    const team = await service.team();
    const id = await joinOrganization(service, team, { email: 'ada@clinic.example', role: 'org_admin' });
    const caller = await signedIn(service, id);
    const changed = await caller.patch('/v1/account', { name: '  Ada King ' });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.json.member).toEqual({ id, name: 'Ada King', email: 'ada@clinic.example' });
    expect((await caller.get('/v1/session')).json.member.name).toBe('Ada King');
    const { rows } = await service.ownerPool.query(
      `select actor, action from audit_log where org_id = $1 and subject = $2 order by id desc limit 1`,
      [team.orgId, id],
    );
    expect(rows).toEqual([{ actor: `member:${id}`, action: 'member.rename' }]);
    for (const name of ['', 'x'.repeat(500)]) {
      expect((await caller.patch('/v1/account', { name })).status).toBe(422);
    }
  });

  it('shows credentials again before that, and no stranger changes a name', async () => {
    const team = await service.team();
    const id = await joinOrganization(service, team, { email: 'bea@clinic.example', role: 'org_admin' });
    const caller = await signedIn(service, id);
    expect((await service.client({}).patch('/v1/account', { name: 'Eve' })).status).toBe(401);
    service.clock.move(6 * MINUTE);
    const late = await caller.patch('/v1/account', { name: 'Eve' });
    expect([late.status, late.text.includes('reauthentication_required')]).toEqual([403, true]);
  });

  it('is read by id in the organization, and is a 404 elsewhere', async () => {
    const [team, other] = [await service.team(), await service.team()];
    const id = await joinOrganization(service, team, { email: 'cy@clinic.example', role: 'org_admin' });
    const { status, json } = await team.management.get(`/v1/org/${team.orgId}/member/${id}`);
    expect(status).toBe(200);
    const listed = (await team.management.get(`/v1/org/${team.orgId}/member`)).json.members;
    expect(json).toEqual(listed.find((member: { id: string }) => member.id === id));
    expect((await other.management.get(`/v1/org/${other.orgId}/member/${id}`)).status).toBe(404);
    expect((await other.management.get(`/v1/org/${team.orgId}/member/${id}`)).status).toBe(404);
  });
});
