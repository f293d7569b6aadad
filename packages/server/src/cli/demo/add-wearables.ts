import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { DemoCallError, forEachAtOnce } from './client.ts';
import type { ClinicPerson } from './people.ts';
import type { DemoClinic } from './clinic.ts';

const SHARE = 0.2;
const PROVIDERS = ['oura', 'fitbit', 'apple_health_kit', 'freestyle_libre'] as const;

/** Connects a demo device for every fifth person. */
export async function connectDevices(clinic: DemoClinic): Promise<ClinicPerson[]> {
  const people = clinic.people.slice(0, Math.ceil(clinic.people.length * SHARE));
  await forEachAtOnce(people, async ({ index, clientUserId }) => {
    const provider = PROVIDERS[index % PROVIDERS.length];
    const body = {
      user_id: clinic.users.get(clientUserId),
      provider,
      seed: `${clinic.seed}/${index}`,
    };
    try {
      await clinic.client.team({ method: 'POST', path: '/v2/link/connect/demo', body, answer: z.unknown() });
    } catch (error) {
      // An earlier run connected it.
      if (!(error instanceof DemoCallError) || error.status !== 400) throw error;
    }
  });
  return people;
}

const POLL_MS = 100;
const POLLS = 900;

/** Waits until the history of the devices has arrived. */
export async function waitForDevices(clinic: DemoClinic, people: readonly ClinicPerson[]): Promise<void> {
  for (const { clientUserId } of people) {
    const path = `/v2/introspect/historical_pull?user_id=${clinic.users.get(clientUserId) ?? ''}`;
    for (let poll = 0; poll < POLLS; poll += 1) {
      const text = JSON.stringify(await clinic.client.team({ method: 'GET', path, answer: z.unknown() }));
      if (!/"(?:scheduled|in_progress|retrying)"/.test(text)) break;
      await pause(POLL_MS);
    }
  }
}
