import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { OPERATIONAL } from '../../src/webhooks/events.ts';
import { good, type Clinic, type Hook } from './clinic.ts';
import { readLog } from './reads.ts';

/** Every event of the log came to the endpoint that was always there, the same under the same id, signed. */
export async function deliveredAsPromised(clinic: Clinic): Promise<void> {
  const log = await readLog(clinic);
  for (const hook of clinic.hooks) {
    const came = cameTo(hook);
    if (hook.isSteady) {
      const missing = log.filter(({ id }) => !came.has(`msg_${id}`));
      expect(missing.map(({ id, event_type: type }) => `${id} ${type}`)).toEqual([]);
    } else {
      await nothingIsForgotten(clinic, hook, {
        log: log.filter(({ event_type: type }) => !OPERATIONAL.has(type)).map(({ id }) => id),
        came,
      });
    }
    for (const { id, body } of log) {
      const text = came.get(`msg_${id}`);
      if (text !== undefined) expect(JSON.parse(text)).toEqual(body);
    }
  }
}

/** What came, by its id. What comes twice is the same. */
function cameTo({ receiver, secrets }: Hook): Map<string, string> {
  const came = new Map<string, string>();
  for (const { headers, text } of receiver.received) {
    const id = String(headers['webhook-id']);
    const known = came.get(id);
    if (known !== undefined) expect(text).toBe(known);
    came.set(id, text);
    const at = new Date(Number(headers['webhook-timestamp']) * 1000);
    const given = String(headers['webhook-signature']).split(' ');
    const right = secrets.map((secret) => new Webhook(secret).sign(id, at, text));
    expect(given.filter((one) => !right.includes(one))).toEqual([]);
    expect(headers['svix-signature']).toBe(headers['webhook-signature']);
  }
  return came;
}

/** Where an endpoint fails or is turned off a message is at least given up, or left out, and can be sent again. */
async function nothingIsForgotten(
  { team, house, diary }: Clinic,
  hook: Hook,
  { log, came }: { log: readonly string[]; came: ReadonlyMap<string, string> },
): Promise<void> {
  good(await team.management.patch(hook.path, { disabled: false }));
  const { now: there } = good(
    await team.management.get(`/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/clock`),
  ).json;
  const since = new Date(Date.parse(there) - 29 * 86_400_000).toISOString();
  good(await team.management.post(`${hook.path}/recover`, { since }));
  good(await team.management.post(`${hook.path}/replay-missing`, { since }));
  await house.settle();
  const now = cameTo(hook);
  const missing = log.filter((id) => !now.has(`msg_${id}`));
  diary.push(`${now.size - came.size} messages came when they were asked for again`);
  expect(missing).toEqual([]);
}
