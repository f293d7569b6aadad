import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { milesBetween } from '../../packages/server/src/scheduling/patient-service-centers/patient-service-centers.ts';
import {
  getZipLocation,
  locateZip,
  type ZipLocation,
} from '../../packages/server/src/scheduling/zip-codes/zip-codes.ts';

export const SITES_FILE = new URL('../../packages/server/data/places/sites.jsonl', import.meta.url);

interface SiteCity {
  readonly state: string;
  readonly areaCode: string;
  readonly name: string;
  readonly zip: string;
  /** Has more than one site. */
  readonly isLarge: boolean;
}

/** Reads `cities.psv`: one line per state with its area code; a star marks cities with several sites. */
function readCities(): SiteCity[] {
  const lines = readFileSync(new URL('cities.psv', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  return lines.flatMap((line) => {
    const [state = '', areaCode = '', cities = ''] = line.split('|');
    return cities.split(';').map((city) => {
      const [, name, zip, star] = /^(.+) (\d{5})(\*?)$/.exec(city) ?? [];
      if (!name || !zip) throw new Error(`cities.psv: cannot parse "${city}"`);
      return { state, areaCode, name, zip, isLarge: star === '*' };
    });
  });
}

interface LabSites {
  readonly lab: string;
  readonly name: string;
  readonly letters: string;
  /** Default: all states. */
  readonly states?: readonly string[];
  /** Number of sites in a city, and in a large city. */
  readonly counts: readonly [number, number];
  readonly booksHere: boolean;
}

// prettier-ignore
const LABS: readonly LabSites[] = [
  { lab: 'quest',        name: 'Quest Diagnostics', letters: 'QST', counts: [1, 4], booksHere: true },
  { lab: 'labcorp',      name: 'Labcorp',           letters: 'LCP', counts: [1, 4], booksHere: false },
  { lab: 'bioreference', name: 'BioReference',      letters: 'BRL', counts: [1, 3], booksHere: false,
    states: ['NJ', 'NY', 'CT', 'PA', 'FL', 'TX', 'CA'] },
  { lab: 'sonora_quest', name: 'Sonora Quest',      letters: 'SNQ', counts: [3, 8], booksHere: true, states: ['AZ'] },
];

/** Repeat an entry to make it more frequent. */
// prettier-ignore
const HOURS = [
  'mon-fri 07:00-16:00',
  'mon-fri 07:00-16:00; sat 07:00-11:00',
  'mon-fri 06:30-15:30; sat 07:00-11:00',
  'mon-fri 07:00-12:00 13:00-16:00',
  'mon-fri 06:00-14:00; sat 06:30-10:30',
  'mon-fri 08:00-12:00 12:30-17:00; sat 08:00-12:00',
  'mon-thu 07:00-15:30; fri 07:00-13:00',
  'mon-fri 07:30-12:30 13:30-16:30; sat 08:00-11:30',
  'mon-sat 07:00-15:00; sun 08:00-12:00',
  'tue-sat 07:00-11:30 12:00-15:00',
];

const STREETS = ['Street', 'Avenue', 'Boulevard', 'Road', 'Drive', 'Lane', 'Court', 'Way'];
const WORDS = [
  'Phlebotomy',
  'Tourniquet',
  'Vacutube',
  'Serum',
  'Plasma',
  'Pipette',
  'Centrifuge',
  'Specimen',
];

/** A deterministic number from 0 to `below` - 1 for a key. */
function hashBelow(key: string, below: number): number {
  return createHash('sha256').update(key).digest().readUInt32BE(0) % below;
}

const pick = <Item>(key: string, items: readonly Item[]): Item => {
  const item = items[hashBelow(key, items.length)];
  if (item === undefined) throw new Error(`Nothing to pick for ${key}`);
  return item;
};

/** The content of the file; the same tables and ZIP codes give the same bytes. */
export function makeSites(): string {
  const cities = readCities();
  const sites = LABS.flatMap((lab) => sitesOf(lab, cities));
  return sites.map((site) => `${JSON.stringify(site)}\n`).join('');
}

function sitesOf(lab: LabSites, cities: readonly SiteCity[]): object[] {
  const counted = new Map<string, number>();
  return cities
    .filter(({ state }) => lab.states?.includes(state) ?? true)
    .flatMap((city) =>
      locationsIn(lab, city).map((place) => {
        const number = (counted.get(city.state) ?? 0) + 1;
        counted.set(city.state, number);
        return siteAt(lab, city, { place, number });
      }),
    );
}

const CITY_MILES = 12;

/** The city's own ZIP code, then nearby ones with the same first digits; laboratories get different ones. */
function locationsIn({ lab, counts }: LabSites, city: SiteCity): ZipLocation[] {
  const own = getZipLocation(city.zip);
  const count = counts[city.isLarge ? 1 : 0];
  const around = zipsLike(city.zip)
    .flatMap((zip) => locateZip(zip) ?? [])
    .filter(({ zip, state, isApproximate }) => !isApproximate && state === city.state && zip !== city.zip)
    .filter(({ point }) => milesBetween(own.point, point) <= CITY_MILES)
    .toSorted((one, other) => hashBelow(`${lab} ${one.zip}`, 1e9) - hashBelow(`${lab} ${other.zip}`, 1e9));
  return [own, ...around.slice(0, count - 1)];
}

const zipsLike = (zip: string): string[] =>
  Array.from({ length: 100 }, (_, at) => zip.slice(0, 3) + String(at).padStart(2, '0'));

/** Maximum offset from the center in degrees: about half a mile. */
const OFFSET = 0.008;

function siteAt(
  lab: LabSites,
  city: SiteCity,
  { place, number }: { place: ZipLocation; number: number },
): object {
  const code = `${lab.letters}-${city.state}-${String(number).padStart(2, '0')}`;
  const offset = (side: string) => (hashBelow(`${code} ${side}`, 2001) / 1000 - 1) * OFFSET;
  const suite =
    hashBelow(`${code} suite`, 3) === 0
      ? { second_line: `Suite ${100 + hashBelow(`${code} door`, 300)}` }
      : {};
  return {
    source: 'made',
    lab: lab.lab,
    site_code: code,
    name: `${lab.name} ${city.name} ${number} (sample)`,
    first_line: `${100 + hashBelow(`${code} house`, 8900)} Sample ${pick(`${code} word`, WORDS)} ${pick(`${code} street`, STREETS)}`,
    ...suite,
    city: city.name,
    state: city.state,
    zip_code: place.zip,
    lat: rounded(place.point.lat + offset('north')),
    lng: rounded(place.point.lng + offset('east')),
    time_zone: place.timeZone,
    // Numbers from 555-0100 to 555-0199 are reserved for fiction.
    phone_number: `+1${city.areaCode}55501${String(hashBelow(`${code} phone`, 100)).padStart(2, '0')}`,
    hours: pick(`${code} hours`, HOURS),
    capabilities: capabilitiesOf(lab, code, number),
    bill_types: billTypesOf(code),
  };
}

const rounded = (degrees: number): number => Math.round(degrees * 1e5) / 1e5;

/** The first site of a state has most capabilities, so that every state has one for testing. */
function capabilitiesOf({ booksHere }: LabSites, code: string, number: number): string[] {
  const isFirst = number === 1;
  const draws = hashBelow(`${code} capabilities`, 100);
  return [
    ...(isFirst || draws % 5 === 0 ? ['stat'] : []),
    ...(booksHere && (isFirst || draws < 85) ? ['appointment_scheduling_via_junction'] : []),
    ...(isFirst || draws < 75 ? ['appointment_scheduling_with_lab'] : []),
  ];
}

const billTypesOf = (code: string): string[] =>
  hashBelow(`${code} bills`, 6) === 0
    ? ['client_bill', 'commercial_insurance']
    : ['client_bill', 'commercial_insurance', 'patient_bill_passthrough', 'patient_bill'];
