import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { OPERATIONAL_EVENT_TYPES } from '../../src/delivery/webhooks/events.ts';
import { expectSuccess, type Clinic, type ClinicEndpoint } from './clinic.ts';
import { readLog } from './reads.ts';

/** Every event of the log was delivered to the steady endpoint, with the same body and id, signed. */
export async function expectDelivered(clinic: Clinic): Promise<void> {
  const log = await readLog(clinic);
  for (const hook of clinic.endpoints) {
    const came = receivedMessages(hook);
    if (hook.isSteady) {
      const missing = log.filter(({ id }) => !came.has(`msg_${id}`));
      expect(missing.map(({ id, event_type: type }) => `${id} ${type}`)).toEqual([]);
    } else {
      await expectNothingLost(clinic, hook, {
        log: log.filter(({ event_type: type }) => !OPERATIONAL_EVENT_TYPES.has(type)).map(({ id }) => id),
        came,
      });
    }
    for (const { id, body } of log) {
      const text = came.get(`msg_${id}`);
      if (text !== undefined) expect(JSON.parse(text)).toEqual(body);
    }
  }
}

/** Received messages by id. Repeated deliveries must be identical. */
function receivedMessages({ receiver, secrets }: ClinicEndpoint): Map<string, string> {
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

/** Messages that a failing or disabled endpoint missed can be recovered or replayed. */
async function expectNothingLost(
  { team, service, trace }: Clinic,
  hook: ClinicEndpoint,
  { log, came }: { log: readonly string[]; came: ReadonlyMap<string, string> },
): Promise<void> {
  expectSuccess(await team.management.patch(hook.path, { disabled: false }));
  const { now: there } = expectSuccess(
    await team.management.get(`/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/clock`),
  ).json;
  const since = new Date(Date.parse(there) - 29 * 86_400_000).toISOString();
  expectSuccess(await team.management.post(`${hook.path}/recover`, { since }));
  expectSuccess(await team.management.post(`${hook.path}/replay-missing`, { since }));
  await service.settle();
  const now = receivedMessages(hook);
  const missing = log.filter((id) => !now.has(`msg_${id}`));
  trace.push(`${now.size - came.size} messages arrived after recover and replay`);
  expect(missing).toEqual([]);
}
