import type { Insertable } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../platform/db/database.ts';
import { AreaBillingType, LabLocationCapability } from '../areas/schema.ts';
import { locateZip } from '../zip-codes/zip-codes.ts';
import { milesBetween } from './great-circle.ts';
import { parseHours } from './hours.ts';
import './table.ts';

const text = (max: number) =>
  z.string('expected text').trim().min(1, 'expected text').max(max, `expected at most ${max} characters`);
const matching = (pattern: RegExp, expected: string) =>
  z.string(`expected ${expected}`).regex(pattern, `expected ${expected}`);

const degrees = (limit: number) => {
  const expected = `expected degrees from -${limit} to ${limit}`;
  const written = z.string().regex(/^-?\d+(\.\d+)?$/);
  return z
    .union([z.number(), written.transform(Number)], expected)
    .pipe(z.number(expected).min(-limit, expected).max(limit, expected));
};

/** Several values in one cell are separated by `|`. */
const list = <Word extends z.ZodType<unknown, string>>(word: Word, words: readonly string[]) =>
  z
    .union(
      [z.array(z.string()), z.string().transform((cell) => cell.split('|').map((each) => each.trim()))],
      `expected some of ${words.join(', ')}, separated by |`,
    )
    .pipe(z.array(word).max(words.length))
    .transform((given) => [...new Set(given)]);

const oneOf = <Options extends z.ZodEnum>(options: Options) =>
  z.enum(options.enum, `expected one of ${options.options.join(', ')}`) as unknown as Options;

const Hours = z.string('expected opening hours').transform((written, context) => {
  const hours = parseHours(written);
  if (typeof hours !== 'string') return hours;
  context.addIssue({ code: 'custom', message: hours });
  return z.NEVER;
});

const TimeZone = z
  .string()
  .refine(isTimeZone, 'expected an IANA time zone such as America/New_York')
  .optional();

const knownZones = new Map<string, boolean>();

function isTimeZone(name: string): boolean {
  const isKnown = knownZones.get(name) ?? hasTimeZone(name);
  knownZones.set(name, isKnown);
  return isKnown;
}

function hasTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const Phone = matching(/^\+?[0-9][0-9 ().-]{5,30}$/, 'a phone number such as +12125550100').optional();

/** A row of a site file. */
export const SiteRow = z.strictObject({
  lab: matching(/^[a-z0-9]+(_[a-z0-9]+)*$/, 'the slug of a laboratory'),
  site_code: matching(/^[A-Za-z0-9._-]{1,50}$/, 'letters, digits, dots, _ and -, at most 50'),
  name: text(200),
  first_line: text(200),
  second_line: text(200).optional(),
  city: text(100),
  state: matching(/^[A-Z]{2}$/, 'a state of two letters'),
  zip_code: matching(/^\d{5}$/, 'five digits'),
  lat: degrees(90).optional(),
  lng: degrees(180).optional(),
  time_zone: TimeZone,
  phone_number: Phone,
  fax_number: Phone,
  hours: Hours,
  capabilities: list(oneOf(LabLocationCapability), LabLocationCapability.options).default([]),
  bill_types: list(oneOf(AreaBillingType), AreaBillingType.options),
});
export type SiteRow = z.output<typeof SiteRow>;

/** The columns of an import file. */
export const SITE_COLUMNS: readonly string[] = Object.keys(SiteRow.shape);

/** Laboratories whose appointments can be booked through the service. */
const LABS_WITH_BOOKING: readonly string[] = ['quest', 'sonora_quest'];
/** The maximum distance between a site and the center of its ZIP code. */
const ZIP_DISTANCE_MAX_MILES = 150;

interface SiteRowFault {
  readonly column: string;
  readonly says: string;
}

/** Checks that span columns: state, ZIP code and coordinates must be consistent, and booking must be supported. */
export function checkSiteRow(row: SiteRow): SiteRowFault[] {
  const place = locateZip(row.zip_code);
  if (!place) return [{ column: 'zip_code', says: `unknown ZIP code ${row.zip_code}` }];
  const faults: SiteRowFault[] = [];
  const fault = (column: string, says: string) => faults.push({ column, says });
  if (place.state !== undefined && place.state !== row.state) {
    fault('state', `the ZIP code ${row.zip_code} is in ${place.state}, got ${row.state}`);
  }
  if ((row.lat === undefined) !== (row.lng === undefined))
    fault('lat', 'expected both lat and lng, or neither');
  if (row.lat !== undefined && row.lng !== undefined) {
    const miles = milesBetween(place.point, { lat: row.lat, lng: row.lng });
    if (miles > ZIP_DISTANCE_MAX_MILES)
      fault('lat', `this is ${Math.round(miles)} miles away from ${row.zip_code}`);
  }
  if (
    row.capabilities.includes('appointment_scheduling_via_junction') &&
    !LABS_WITH_BOOKING.includes(row.lab)
  ) {
    fault(
      'capabilities',
      `only ${LABS_WITH_BOOKING.join(' and ')} can have appointment_scheduling_via_junction`,
    );
  }
  return faults;
}

export type NewSite = Insertable<Database['psc_site']>;

/** Missing coordinates and time zone are taken from the ZIP code. */
export function toNewSite(row: SiteRow, labId: number, source: NewSite['source']): NewSite {
  const place = locateZip(row.zip_code);
  return {
    lab_id: labId,
    code: row.site_code,
    name: row.name,
    first_line: row.first_line,
    second_line: row.second_line ?? null,
    city: row.city,
    state: row.state,
    zip: row.zip_code,
    lat: row.lat ?? place?.point.lat ?? 0,
    lng: row.lng ?? place?.point.lng ?? 0,
    time_zone: row.time_zone ?? place?.timeZone ?? 'Etc/UTC',
    phone: row.phone_number ?? null,
    fax: row.fax_number ?? null,
    hours: JSON.stringify(row.hours),
    capabilities: row.capabilities,
    bill_types: row.bill_types,
    source,
  };
}
