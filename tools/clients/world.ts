import type { Api } from './api.ts';
import type { Json } from './sdk.ts';

export const ADDRESS = {
  first_line: '548 Market Street',
  city: 'San Francisco',
  state: 'CA',
  zip: '94104',
  country: 'US',
};
const PHONE = '+14155550132';
export const PATIENT = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  dob: '1985-12-10',
  gender: 'female',
  phone_number: PHONE,
  email: 'ada@example.com',
};
export const PHYSICIAN = { first_name: 'Mary', last_name: 'Putnam', npi: '1234567893' };

/** The account in which the calls are tried, and what was made in it. */
export interface World {
  readonly api: Api;
  readonly management: Api;
  /** The path of the management API for the team's environment. */
  readonly managed: string;
  /** A user with data of a wearable. */
  readonly userId: string;
  readonly teamId: string;
  /** A number that no earlier call returned. */
  number(): number;
  /** What is made once, by name. */
  once<T>(name: string, make: () => Promise<T>): Promise<T>;
}

export async function openWorld(account: Pick<World, 'api' | 'management' | 'managed'>): Promise<World> {
  const { api } = account;
  const made = new Map<string, Promise<unknown>>();
  const { user_id: userId, team_id: teamId } = await api.post('/v2/user', {
    client_user_id: `client-${Date.now()}`,
  });
  await api.post('/v2/link/connect/demo', { user_id: userId, provider: 'fitbit' });
  let count = 0;
  return {
    ...account,
    userId,
    teamId,
    number: () => (count += 1),
    once: (name, make) => {
      if (!made.has(name)) made.set(name, make());
      return made.get(name) as never;
    },
  };
}

/** Values of fields that mean the same in every operation, by their names in the interface. */
export const FIELD_VALUES: Readonly<Record<string, Json>> = {
  ...ADDRESS,
  ...PATIENT,
  zip_code: '94104',
  receiver_name: 'Ada Lovelace',
  npi: PHYSICIAN.npi,
  radius: '20',
  lab: 'quest',
  lab_slug: 'quest',
  lab_id: 6,
  provider: 'fitbit',
};
