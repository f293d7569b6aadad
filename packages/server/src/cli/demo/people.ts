import type { DemoChance } from './chance.ts';

/** A fictional user. */
export interface ClinicPerson {
  readonly index: number;
  readonly clientUserId: string;
  readonly timeZone: string;
  readonly patient: {
    readonly first_name: string;
    readonly last_name: string;
    readonly dob: string;
    readonly gender: 'female' | 'male';
    readonly phone_number: string;
    readonly email: string;
  };
  readonly address: {
    readonly receiver_name: string;
    readonly first_line: string;
    readonly city: string;
    readonly state: string;
    readonly zip: string;
    readonly country: 'US';
  };
}

/** Marks the users of a demo, so that an interrupted run can be continued. */
export const DEMO_PREFIX = 'demo-';

// prettier-ignore
const FEMALE_NAMES = [
  'Amara', 'Bianca', 'Chloe', 'Dalia', 'Elena', 'Farah', 'Grace', 'Hannah', 'Ines', 'Jasmine', 'Keiko', 'Leila', 'Maya',
  'Nora', 'Olivia', 'Priya', 'Rosa', 'Sofia', 'Tamika', 'Yara',
] as const;
// prettier-ignore
const MALE_NAMES = [
  'Aaron', 'Ben', 'Carlos', 'Daniel', 'Emeka', 'Felix', 'George', 'Hiro', 'Ivan', 'Jamal', 'Kofi', 'Liam', 'Mateo',
  'Noah', 'Omar', 'Paul', 'Rafael', 'Samir', 'Thomas', 'Victor',
] as const;
// prettier-ignore
const LAST_NAMES = [
  'Abbott', 'Bauer', 'Castillo', 'Dubois', 'Eriksen', 'Fischer', 'Garcia', 'Huang', 'Ibrahim', 'Johnson', 'Kim', 'Lopez',
  'Moreau', 'Nguyen', 'Okafor', 'Patel', 'Quinn', 'Rossi', 'Singh', 'Tanaka', 'Ueda', 'Vargas', 'Weber', 'Young', 'Zhang',
] as const;
const STREETS = [
  'Market Street',
  'Oak Avenue',
  'Maple Drive',
  'Cedar Lane',
  'Lake Road',
  'Hill Street',
] as const;
// prettier-ignore
const CITIES = [
  { city: 'San Francisco', state: 'CA', zip: '94104', area: '415', timeZone: 'America/Los_Angeles' },
  { city: 'Los Angeles',   state: 'CA', zip: '90012', area: '213', timeZone: 'America/Los_Angeles' },
  { city: 'Denver',        state: 'CO', zip: '80202', area: '303', timeZone: 'America/Denver' },
  { city: 'Austin',        state: 'TX', zip: '78701', area: '512', timeZone: 'America/Chicago' },
  { city: 'Chicago',       state: 'IL', zip: '60601', area: '312', timeZone: 'America/Chicago' },
  { city: 'Miami',         state: 'FL', zip: '33130', area: '305', timeZone: 'America/New_York' },
  { city: 'Boston',        state: 'MA', zip: '02108', area: '617', timeZone: 'America/New_York' },
] as const;

const YOUNGEST_YEAR = 2005;
const YEARS = 60;
const pad = (number: number, digits: number) => String(number).padStart(digits, '0');

export function createPeople(chance: DemoChance, count: number): ClinicPerson[] {
  return Array.from({ length: count }, (_, index) => createPerson(chance, index));
}

function createPerson(chance: DemoChance, index: number): ClinicPerson {
  const gender = chance.of(index, 'gender') < 0.54 ? 'female' : 'male';
  const first = chance.pick(gender === 'female' ? FEMALE_NAMES : MALE_NAMES, index, 'first name');
  const last = chance.pick(LAST_NAMES, index, 'last name');
  const { area, timeZone, ...city } = chance.pick(CITIES, index, 'city');
  const whole = (name: string, below: number) => Math.floor(chance.of(index, name) * below);
  const clientUserId = `${DEMO_PREFIX}${pad(index + 1, 4)}`;
  return {
    index,
    clientUserId,
    timeZone,
    patient: {
      first_name: first,
      last_name: last,
      dob: `${YOUNGEST_YEAR - whole('year', YEARS)}-${pad(1 + whole('month', 12), 2)}-${pad(1 + whole('day', 28), 2)}`,
      gender,
      // 555-01xx is reserved for fiction.
      phone_number: `+1${area}55501${pad(whole('phone', 100), 2)}`,
      email: `${clientUserId}@example.com`,
    },
    address: {
      receiver_name: `${first} ${last}`,
      first_line: `${100 + whole('house', 900)} ${chance.pick(STREETS, index, 'street')}`,
      ...city,
      country: 'US',
    },
  };
}
