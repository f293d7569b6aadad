import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMember, signedIn } from '../../../test/members.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { verifiedDomain } from '../../../test/single-sign-on.ts';
import { openSmtpStandIn, type SmtpStandIn } from '../../../test/smtp.ts';
import { newId } from '../../platform/ids.ts';

const PATH = '/v1/account/email-change';

let service: TestService;
let team: TestTeam;
let smtp: SmtpStandIn;
beforeAll(async () => {
  smtp = await openSmtpStandIn();
  service = await openTestService({ SMTP_URL: smtp.url, MAIL_FROM: 'no-reply@lab.example' });
  team = await service.team();
});
afterAll(async () => {
  await service.close();
  await smtp.close();
});

const request = async (id: string, email: string) => (await signedIn(service, id)).post(PATH, { email });

describe('an e-mail address that the organization manages', () => {
  it('is not changed by a member of a directory', async () => {
    const id = await addMember(service, team.orgId, { email: 'provisioned@clinic.example' });
    await service.ownerPool.query(
      `insert into directory_user (org_id, member_id, is_provisioned, updated_at) values ($1, $2, true, now())`,
      [team.orgId, id],
    );
    const refused = await request(id, 'other@clinic.example');
    expect([refused.status, refused.json.detail]).toEqual([
      403,
      expect.stringContaining('identity provider of your organization manages this address'),
    ]);
    expect(smtp.received).toEqual([]);
  });

  it('is not changed where single sign-on is required of the old or the new one', async () => {
    const domain = await verifiedDomain(service, team);
    const inside = await addMember(service, team.orgId, { email: `ada@${domain}` });
    const outside = await addMember(service, team.orgId, { email: 'bob@clinic.example' });
    const before = await signedIn(service, inside);
    expect((await request(outside, `bob@${domain}`)).status).toBe(200);
    await service.ownerPool.query(
      `insert into sso_connection (id, org_id, name, issuer, client_id, domains, is_active, is_enforced,
          client_authentication, created_at, changed_at)
        values ($1, $2, 'Provider', 'https://idp.example', 'client', array[$3], true, true, 'none', now(), now())`,
      [newId(), team.orgId, domain],
    );
    expect((await request(outside, `bob@${domain}`)).status).toBe(403);
    expect((await request(outside, 'bob@other.example')).status).toBe(200);
    expect((await before.post(PATH, { email: 'ada@other.example' })).status).toBe(403);
  });

  it('is not changed where no mail server is connected', async () => {
    const silent = await openTestService();
    try {
      const { orgId } = await silent.team();
      const id = await addMember(silent, orgId, { email: 'ada@clinic.example' });
      const refused = await (await signedIn(silent, id)).post(PATH, { email: 'bea@clinic.example' });
      expect([refused.status, refused.json.detail]).toEqual([
        400,
        expect.stringContaining('sends no e-mail'),
      ]);
    } finally {
      await silent.close();
    }
  });
});
