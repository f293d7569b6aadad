import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDnsStandIn, type DnsStandIn } from '../../../test/dns.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { openSmtpStandIn, type SmtpStandIn } from '../../../test/smtp.ts';

let service: TestService;
let dns: DnsStandIn;
let smtp: SmtpStandIn;
beforeAll(async () => {
  [dns, smtp] = await Promise.all([openDnsStandIn(), openSmtpStandIn()]);
  service = await openTestService({
    DNS_SERVERS: dns.address,
    SMTP_URL: smtp.url,
    MAIL_FROM: 'no-reply@lab.example',
  });
});
afterAll(async () => {
  await service.close();
  await Promise.all([dns.close(), smtp.close()]);
});
beforeEach(() => {
  dns.behavior = 'answers';
});

let domains = 0;
const fresh = () => `clinic-${(domains += 1)}.example`;
const at = (team: TestTeam, path = '') => `/v1/org/${team.orgId}/domain${path}`;
const add = (team: TestTeam, domain: string) => team.management.post(at(team), { domain });
const verify = (team: TestTeam, id: string) => team.management.post(at(team, `/${id}/verify`));

interface AddedDomain {
  id: string;
  dns_records: { name: string; value: string }[];
}

/** Writes the record of the domain into the DNS, as its owner would. */
function write({ dns_records: [record] }: AddedDomain, value = record?.value ?? ''): void {
  dns.records.set(record?.name ?? '', ['v=spf1 -all', value]);
}

describe('a domain', () => {
  it('is verified by its TXT record, and stays so when the record goes', async () => {
    const team = await service.team();
    const domain = fresh();
    const added = await add(team, ` ${domain.toUpperCase()}. `);
    expect(added.status).toBe(201);
    expect(added.json).toMatchObject({ domain, is_verified: false, status: 'pending', checked_on: null });
    const [record] = added.json.dns_records;
    expect(record).toMatchObject({ type: 'TXT', name: `_service-verification.${domain}` });
    const { id } = added.json;
    expect((await verify(team, id)).json).toEqual({
      status: 'pending',
      detail: `The TXT record ${record.name} does not exist yet`,
    });
    write(added.json);
    expect((await verify(team, id)).json).toEqual({ status: 'verified', detail: null });
    dns.records.clear();
    expect((await verify(team, id)).json.status).toBe('verified');
    const read = await team.management.get(at(team, `/${id}`));
    expect(read.json).toMatchObject({
      is_verified: true,
      status: 'verified',
      checked_on: expect.any(String),
    });
    expect((await team.management.get(at(team))).json.data).toEqual([read.json]);
  });

  it('fails where the record has another value, and can still be verified', async () => {
    const team = await service.team();
    const added = (await add(team, fresh())).json;
    write(added, 'service-domain-verification=of-another');
    expect((await verify(team, added.id)).json).toMatchObject({
      status: 'pending',
      detail: expect.stringContaining('its value is not'),
    });
    const read = async () => (await team.management.get(at(team, `/${added.id}`))).json;
    expect(await read()).toMatchObject({ status: 'failed', is_verified: false });
    write(added);
    expect((await verify(team, added.id)).json.status).toBe('verified');
  });

  it('keeps its status when the name servers do not answer', async () => {
    const team = await service.team();
    const added = (await add(team, fresh())).json;
    dns.behavior = 'fails';
    const answer = await verify(team, added.id);
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '30']);
    const read = await team.management.get(at(team, `/${added.id}`));
    expect(read.json).toMatchObject({ status: 'pending', checked_on: null });
  });

  it('can be verified by only one organization', async () => {
    const [team, other] = [await service.team(), await service.team()];
    const domain = fresh();
    const [mine, theirs] = [(await add(team, domain)).json, (await add(other, domain)).json];
    expect(mine.dns_records).not.toEqual(theirs.dns_records);
    dns.records.set(mine.dns_records[0].name, [mine.dns_records[0].value, theirs.dns_records[0].value]);
    const answers = await Promise.all([verify(team, mine.id), verify(other, theirs.id)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect((await team.management.get(at(team, `/${theirs.id}`))).status).toBe(404);
  });

  it('can be removed and added again, with another record', async () => {
    const team = await service.team();
    const domain = fresh();
    const added = (await add(team, domain)).json;
    expect((await add(team, domain)).status).toBe(409);
    expect((await team.management.delete(at(team, `/${added.id}`))).json).toEqual({ success: true });
    expect((await team.management.delete(at(team, `/${added.id}`))).status).toBe(404);
    expect((await verify(team, added.id)).status).toBe(404);
    expect((await add(team, domain)).json.dns_records).not.toEqual(added.dns_records);
  });

  it.each([
    '',
    'localhost',
    '192.0.2.1',
    'https://clinic.example',
    'a@clinic.example',
    '*.clinic.example',
    'a..b',
    '-a.example',
    `${'a.'.repeat(120)}example`,
  ])('is not %o', async (domain) => {
    const team = await service.team();
    expect((await add(team, domain)).status).toBe(422);
  });

  it('is normalized as in DNS', async () => {
    const team = await service.team();
    expect((await add(team, 'Bücher.example')).json.domain).toBe('xn--bcher-kva.example');
  });

  it('is one of at most 100', async () => {
    const team = await service.team();
    await service.ownerPool.query(
      `insert into organization_domain (id, org_id, domain, token, status, created_at)
        select gen_random_uuid(), $1, 'd' || n || '.example', 'x', 'pending', now() from generate_series(1, 99) n`,
      [team.orgId],
    );
    const answers = await Promise.all([add(team, fresh()), add(team, fresh())]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  });

  it('has instructions that can be e-mailed', async () => {
    const team = await service.team();
    const added = (await add(team, fresh())).json;
    const send = (to_email: string) =>
      team.management.post(at(team, `/${added.id}/send_domain_instructions`), { to_email });
    expect((await send('dns@clinic.example')).json).toEqual({ sent: true, sendgrid_message_id: null });
    const { to, raw } = smtp.received.at(-1) ?? { to: [], raw: '' };
    expect(to).toEqual(['dns@clinic.example']);
    expect(raw.replaceAll('=\r\n', '').replaceAll('=3D', '=')).toContain(added.dns_records[0].value);
    expect((await send('nobody')).status).toBe(422);
    smtp.answers.push(450);
    expect((await send('dns@clinic.example')).status).toBe(503);
  });
});
