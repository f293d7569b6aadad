import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDns, type DnsStandIn } from '../../test/dns.ts';
import { openHouse, type House, type TeamInHand } from '../../test/house.ts';
import { openSmtp, type SmtpStandIn } from '../../test/smtp.ts';

let house: House;
let dns: DnsStandIn;
let smtp: SmtpStandIn;
beforeAll(async () => {
  [dns, smtp] = await Promise.all([openDns(), openSmtp()]);
  house = await openHouse({
    DNS_SERVERS: dns.address,
    SMTP_URL: smtp.url,
    MAIL_FROM: 'no-reply@lab.example',
  });
});
afterAll(async () => {
  await house.close();
  await Promise.all([dns.close(), smtp.close()]);
});
beforeEach(() => {
  dns.mood = 'answers';
});

let domains = 0;
const fresh = () => `clinic-${(domains += 1)}.example`;
const at = (team: TeamInHand, path = '') => `/v1/org/${team.orgId}/domain${path}`;
const add = (team: TeamInHand, domain: string) => team.management.post(at(team), { domain });
const verify = (team: TeamInHand, id: string) => team.management.post(at(team, `/${id}/verify`));

interface Added {
  id: string;
  dns_records: { name: string; value: string }[];
}

/** Writes the record of the domain into the DNS, as its owner would. */
function write({ dns_records: [record] }: Added, value = record?.value ?? ''): void {
  dns.records.set(record?.name ?? '', ['v=spf1 -all', value]);
}

describe('a domain', () => {
  it('is verified by its TXT record, and stays so when the record goes', async () => {
    const team = await house.team();
    const domain = fresh();
    const added = await add(team, ` ${domain.toUpperCase()}. `);
    expect(added.status).toBe(201);
    expect(added.json).toMatchObject({ domain, is_verified: false, status: 'pending', checked_on: null });
    const [record] = added.json.dns_records;
    expect(record).toMatchObject({ type: 'TXT', name: `_service-verification.${domain}` });
    const { id } = added.json;
    expect((await verify(team, id)).json).toEqual({
      status: 'pending',
      detail: `There is no TXT record ${record.name} so far`,
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

  it('has failed where the record says something else, and can still be verified', async () => {
    const team = await house.team();
    const added = (await add(team, fresh())).json;
    write(added, 'service-domain-verification=of-another');
    expect((await verify(team, added.id)).json).toMatchObject({
      status: 'pending',
      detail: expect.stringContaining('something else'),
    });
    const read = async () => (await team.management.get(at(team, `/${added.id}`))).json;
    expect(await read()).toMatchObject({ status: 'failed', is_verified: false });
    write(added);
    expect((await verify(team, added.id)).json.status).toBe('verified');
  });

  it('is judged by no answer only when there is one', async () => {
    const team = await house.team();
    const added = (await add(team, fresh())).json;
    dns.mood = 'fails';
    const answer = await verify(team, added.id);
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '30']);
    const read = await team.management.get(at(team, `/${added.id}`));
    expect(read.json).toMatchObject({ status: 'pending', checked_on: null });
  });

  it('is one organization’s alone once it is verified', async () => {
    const [team, other] = [await house.team(), await house.team()];
    const domain = fresh();
    const [mine, theirs] = [(await add(team, domain)).json, (await add(other, domain)).json];
    expect(mine.dns_records).not.toEqual(theirs.dns_records);
    dns.records.set(mine.dns_records[0].name, [mine.dns_records[0].value, theirs.dns_records[0].value]);
    const answers = await Promise.all([verify(team, mine.id), verify(other, theirs.id)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect((await team.management.get(at(team, `/${theirs.id}`))).status).toBe(404);
  });

  it('can be let go and taken up again, with another record', async () => {
    const team = await house.team();
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
    const team = await house.team();
    expect((await add(team, domain)).status).toBe(422);
  });

  it('is written as name servers write it', async () => {
    const team = await house.team();
    expect((await add(team, 'Bücher.example')).json.domain).toBe('xn--bcher-kva.example');
  });

  it('has 99 others beside it at most', async () => {
    const team = await house.team();
    await house.owner.query(
      `insert into organization_domain (id, org_id, domain, token, status, created_at)
        select gen_random_uuid(), $1, 'd' || n || '.example', 'x', 'pending', now() from generate_series(1, 99) n`,
      [team.orgId],
    );
    const answers = await Promise.all([add(team, fresh()), add(team, fresh())]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  });

  it('is explained by mail', async () => {
    const team = await house.team();
    const added = (await add(team, fresh())).json;
    const send = (to_email: string) =>
      team.management.post(at(team, `/${added.id}/send_domain_instructions`), { to_email });
    expect((await send('dns@clinic.example')).json).toEqual({ sent: true, sendgrid_message_id: null });
    const { to, raw } = smtp.taken.at(-1) ?? { to: [], raw: '' };
    expect(to).toEqual(['dns@clinic.example']);
    expect(raw.replaceAll('=\r\n', '').replaceAll('=3D', '=')).toContain(added.dns_records[0].value);
    expect((await send('nobody')).status).toBe(422);
    smtp.answers.push(450);
    expect((await send('dns@clinic.example')).status).toBe(503);
  });
});
