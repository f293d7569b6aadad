import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDns, type DnsStandIn } from '../../../test/dns.ts';
import { LookUpFailed } from './port.ts';
import { dnsTextRecords } from './resolver.ts';

let dns: DnsStandIn;
beforeAll(async () => {
  dns = await openDns();
});
afterAll(() => dns.close());
beforeEach(() => {
  dns.mood = 'answers';
});

/** Long for what is to be answered; short only where the time is to run out. */
const records = (patienceMs = 10_000) => dnsTextRecords({ servers: [dns.address], patienceMs });

describe('the TXT records of a name', () => {
  it('are told whole, also where a long one comes in pieces', async () => {
    const long = 'x'.repeat(600);
    dns.records.set('_check.example.com', ['one', long, 'v=spf1 -all']);
    expect((await records().of('_check.example.com')).toSorted()).toEqual(
      ['one', 'v=spf1 -all', long].toSorted(),
    );
  });

  it('are asked for every time', async () => {
    dns.records.set('fresh.example.com', ['old']);
    expect(await records().of('fresh.example.com')).toEqual(['old']);
    dns.records.set('fresh.example.com', ['new']);
    expect(await records().of('fresh.example.com')).toEqual(['new']);
  });

  it('are none where there is no such name, or nothing of this kind', async () => {
    dns.records.set('empty.example.com', []);
    expect(await records().of('nowhere.example.com')).toEqual([]);
    expect(await records().of('empty.example.com')).toEqual([]);
  });

  it.each(['fails', 'silent'] as const)('are not taken for none when the name server %s', async (mood) => {
    dns.mood = mood;
    await expect(
      records(mood === 'silent' ? 100 : undefined).of('_check.example.com'),
    ).rejects.toBeInstanceOf(LookUpFailed);
  });
});
