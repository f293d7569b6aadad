import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type House, type TeamInHand } from '../../test/house.ts';
import { MINUTE, SECOND } from '../platform/clock.ts';

let house: House;
let team: TeamInHand;
beforeAll(async () => {
  house = await openHouse();
  team = await house.team();
});
afterAll(() => house.close());

let addresses = 0;
const newAddress = () => `203.0.113.${(addresses += 1)}`;

/** Asks from an address. */
const from = async (remoteAddress: string, headers: Record<string, string>, url = '/v2/user') => {
  const {
    statusCode,
    headers: answered,
    body,
  } = await house.http.server.inject({ url, headers, remoteAddress });
  return { status: statusCode, wait: answered['retry-after'], detail: JSON.parse(body).detail };
};
const bad = (n: number) => ({ 'x-service-api-key': `sk_us_guess${n}` });

/** Twenty bad keys, each answered with 401. */
async function spend(address: string): Promise<void> {
  for (let n = 0; n < 20; n += 1) expect((await from(address, bad(n))).status).toBe(401);
}

describe('an address that guesses keys', () => {
  it('is told to wait after 20 bad ones, until the minute is over', async () => {
    const address = newAddress();
    await spend(address);
    house.clock.move(15 * SECOND);
    expect(await from(address, bad(20))).toEqual({
      status: 429,
      wait: '45',
      detail: 'Too many requests with an invalid API key',
    });
    house.clock.move(45 * SECOND);
    expect((await from(address, bad(21))).status).toBe(401);
  });

  it('does not hinder those who share it and have a good key', async () => {
    const address = newAddress();
    await spend(address);
    expect((await from(address, bad(1))).status).toBe(429);
    expect((await from(address, { 'x-service-api-key': team.key })).status).toBe(200);
    const org = `/v1/org/${team.orgId}`;
    expect((await from(address, { 'x-management-key': team.managementKey }, org)).status).toBe(200);
    expect((await from(address, bad(2))).status).toBe(429);
  });

  it('hinders no other address, but all of its own network where that is of IPv6', async () => {
    await spend('2001:db8:1:2::1');
    expect((await from('2001:db8:1:2:ffff::9', bad(1))).status).toBe(429);
    expect((await from('2001:db8:1:3::1', bad(1))).status).toBe(401);
    const address = newAddress();
    await spend(address);
    expect((await from(`::ffff:${address}`, bad(1))).status).toBe(429);
    expect((await from(newAddress(), bad(1))).status).toBe(401);
  });

  it('is counted whatever kind of key it tries, but not for bringing none', async () => {
    const address = newAddress();
    const kinds: Record<string, string>[] = [
      { 'x-service-api-key': 'nonsense' },
      { 'x-service-api-key': team.managementKey },
      { authorization: 'Bearer nonsense' },
      bad(1),
    ];
    for (let round = 0; round < 5; round += 1) {
      for (const kind of kinds) expect((await from(address, kind)).status).toBe(401);
      expect((await from(address, {})).status).toBe(401);
    }
    expect((await from(address, { 'x-management-key': 'mg_guess' }, `/v1/org/${team.orgId}`)).status).toBe(
      429,
    );
    expect((await from(address, {})).status).toBe(401);
  });

  it('is not locked out by a clock that goes back', async () => {
    const address = newAddress();
    await spend(address);
    house.clock.move(-2 * MINUTE);
    expect((await from(address, bad(1))).status).toBe(401);
    house.clock.move(2 * MINUTE);
  });
});
