import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDnsStandIn, type DnsStandIn } from '../../../test/dns.ts';
import { DnsLookupError } from './port.ts';
import { createTxtResolver } from './resolver.ts';

let dns: DnsStandIn;
beforeAll(async () => {
  dns = await openDnsStandIn();
});
afterAll(() => dns.close());
beforeEach(() => {
  dns.behavior = 'answers';
});

/** Long for what is to be answered; short only where the time is to run out. */
const records = (patienceMs = 10_000) => createTxtResolver({ servers: [dns.address], timeoutMs: patienceMs });

describe('the TXT records of a name', () => {
  it('are returned whole, even if a long one is split', async () => {
    const long = 'x'.repeat(600);
    dns.records.set('_check.example.com', ['one', long, 'v=spf1 -all']);
    expect((await records().resolve('_check.example.com')).toSorted()).toEqual(
      ['one', 'v=spf1 -all', long].toSorted(),
    );
  });

  it('are not cached', async () => {
    dns.records.set('fresh.example.com', ['old']);
    expect(await records().resolve('fresh.example.com')).toEqual(['old']);
    dns.records.set('fresh.example.com', ['new']);
    expect(await records().resolve('fresh.example.com')).toEqual(['new']);
  });

  it('are empty for an unknown name or without TXT records', async () => {
    dns.records.set('empty.example.com', []);
    expect(await records().resolve('nowhere.example.com')).toEqual([]);
    expect(await records().resolve('empty.example.com')).toEqual([]);
  });

  it.each(['fails', 'silent'] as const)('fail, and are not empty, when the name server %s', async (mood) => {
    dns.behavior = mood;
    await expect(
      records(mood === 'silent' ? 100 : undefined).resolve('_check.example.com'),
    ).rejects.toBeInstanceOf(DnsLookupError);
  });
});
