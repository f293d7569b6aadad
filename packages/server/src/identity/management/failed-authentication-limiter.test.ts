import { describe, expect, it } from 'vitest';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';

const service = useTestService();
const team = useTestTeam(service);

let addresses = 0;
const newAddress = () => `203.0.113.${(addresses += 1)}`;

/** Sends a request from an address. */
const requestFrom = async (remoteAddress: string, headers: Record<string, string>, url = '/v2/user') => {
  const {
    statusCode,
    headers: answered,
    body,
  } = await service.http.server.inject({ url, headers, remoteAddress });
  return { status: statusCode, wait: answered['retry-after'], detail: JSON.parse(body).detail };
};
const invalidKey = (n: number) => ({ 'x-service-api-key': `sk_us_guess${n}` });

/** Sends twenty invalid keys, each answered with 401. */
async function sendInvalidKeys(address: string): Promise<void> {
  for (let n = 0; n < 20; n += 1) expect((await requestFrom(address, invalidKey(n))).status).toBe(401);
}

describe('an address that guesses keys', () => {
  it('gets 429 after 20 invalid keys until the minute is over', async () => {
    const address = newAddress();
    await sendInvalidKeys(address);
    service.clock.move(15 * SECOND);
    expect(await requestFrom(address, invalidKey(20))).toEqual({
      status: 429,
      wait: '45',
      detail: 'Too many requests with an invalid API key',
    });
    service.clock.move(45 * SECOND);
    expect((await requestFrom(address, invalidKey(21))).status).toBe(401);
  });

  it('does not limit valid keys from the same address', async () => {
    const address = newAddress();
    await sendInvalidKeys(address);
    expect((await requestFrom(address, invalidKey(1))).status).toBe(429);
    expect((await requestFrom(address, { 'x-service-api-key': team.key })).status).toBe(200);
    const org = `/v1/org/${team.orgId}`;
    expect((await requestFrom(address, { 'x-management-key': team.managementKey }, org)).status).toBe(200);
    expect((await requestFrom(address, invalidKey(2))).status).toBe(429);
  });

  it('does not limit other addresses, except those of the same IPv6 network', async () => {
    await sendInvalidKeys('2001:db8:1:2::1');
    expect((await requestFrom('2001:db8:1:2:ffff::9', invalidKey(1))).status).toBe(429);
    expect((await requestFrom('2001:db8:1:3::1', invalidKey(1))).status).toBe(401);
    const address = newAddress();
    await sendInvalidKeys(address);
    expect((await requestFrom(`::ffff:${address}`, invalidKey(1))).status).toBe(429);
    expect((await requestFrom(newAddress(), invalidKey(1))).status).toBe(401);
  });

  it('is counted for every kind of key, but not for requests without a key', async () => {
    const address = newAddress();
    const kinds: Record<string, string>[] = [
      { 'x-service-api-key': 'nonsense' },
      { 'x-service-api-key': team.managementKey },
      { authorization: 'Bearer nonsense' },
      invalidKey(1),
    ];
    for (let round = 0; round < 5; round += 1) {
      for (const kind of kinds) expect((await requestFrom(address, kind)).status).toBe(401);
      expect((await requestFrom(address, {})).status).toBe(401);
    }
    expect(
      (await requestFrom(address, { 'x-management-key': 'mg_guess' }, `/v1/org/${team.orgId}`)).status,
    ).toBe(429);
    expect((await requestFrom(address, {})).status).toBe(401);
  });

  it('is not locked out by a clock that is set back', async () => {
    const address = newAddress();
    await sendInvalidKeys(address);
    service.clock.move(-2 * MINUTE);
    expect((await requestFrom(address, invalidKey(1))).status).toBe(401);
    service.clock.move(2 * MINUTE);
  });
});
