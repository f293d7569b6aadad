import { z } from 'zod';
import { openList } from '../../platform/open-list.ts';
import { AllowedRadius, Bill, Capability } from '../areas/schema.ts';
import { Labs } from '../catalog/schema.ts';
import { DAYS } from './hours.ts';
import type { Site } from './site.ts';

const Filter = {
  radius: AllowedRadius.default('25').describe('In miles.'),
  capabilities: z
    .array(Capability)
    .max(10)
    .nullish()
    .describe('Sites that have all of these. All sites when left out.'),
};

export const PscQuery = z.object({
  zip_code: z.string().regex(/^\d{5}$/, 'expected five digits'),
  lab_id: z.int32(),
  ...Filter,
  lab_account_id: z.guid().nullish().describe('Keeps to the billing of this lab account.'),
});
export type PscQuery = z.output<typeof PscQuery>;

export const OrderPscQuery = z.object(Filter);
export type OrderPscQuery = z.output<typeof OrderPscQuery>;

export const OrderParams = z.object({ order_id: z.guid() });

const Place = z
  .object({ lng: z.number().min(-180).max(180), lat: z.number().min(-90).max(90) })
  .meta({ id: 'LngLat' });

const Metadata = z
  .object({
    name: z.string(),
    state: z.string().describe('Two letters.'),
    city: z.string(),
    zip_code: z.string(),
    first_line: z.string(),
    second_line: z.string().nullable(),
    phone_number: z.string().nullable(),
    fax_number: z.string().nullable(),
    hours: z
      .record(z.string(), z.array(z.object({ opens: z.string(), closes: z.string() })))
      .nullable()
      .describe('From `monday` to `sunday`, in local time as `07:30`; a closed day has none.'),
  })
  .meta({ id: 'LabLocationMetadata' });

const Location = z
  .object({
    metadata: Metadata,
    distance: z.int().describe('Miles by great circle from the middle of the ZIP code.'),
    site_code: z.string().describe("The laboratory's code of the site."),
    supported_bill_types: z.array(Bill),
    location: Place,
    capabilities: z.array(Capability),
  })
  .meta({ id: 'ClientFacingLabLocation' });

export const PscInfo = z
  .object({
    lab_id: z.int(),
    slug: openList(Labs.options),
    patient_service_centers: z.array(Location).describe('The nearest first, at most 500.'),
  })
  .meta({ id: 'PSCInfo' });
export type PscInfo = z.input<typeof PscInfo>;

/** A site as callers see it; `billed` is what the account takes in a state. */
export const viewSite = (
  site: Site,
  billed: (state: string) => readonly Bill[],
): PscInfo['patient_service_centers'][number] => ({
  metadata: {
    name: site.name,
    state: site.address.state,
    city: site.address.city,
    zip_code: site.address.zip,
    first_line: site.address.firstLine,
    second_line: site.address.secondLine,
    phone_number: site.phone,
    fax_number: site.fax,
    hours: Object.fromEntries(DAYS.map((day, at) => [day, [...(site.hours[at] ?? [])]])),
  },
  distance: Math.round(site.distanceMiles ?? 0),
  site_code: site.code,
  supported_bill_types: site.billTypes.filter((bill) => billed(site.address.state).includes(bill)),
  location: site.point,
  capabilities: [...site.capabilities],
});
