import { z } from 'zod';
import { openEnum } from '../../platform/open-enum.ts';
import { AllowedRadius, AreaBillingType, LabLocationCapability } from '../areas/schema.ts';
import { Labs } from '../../ordering/catalog/schema.ts';
import { DAYS } from './hours.ts';
import type { PatientServiceCenter } from './site.ts';

const pscFilter = {
  radius: AllowedRadius.default('25').describe('In miles.'),
  capabilities: z
    .array(LabLocationCapability)
    .max(10)
    .nullish()
    .describe('Returns sites that have all of these. Default: all sites.'),
};

export const PscQuery = z.object({
  zip_code: z.string().regex(/^\d{5}$/, 'expected five digits'),
  lab_id: z.int32(),
  ...pscFilter,
  lab_account_id: z.guid().nullish().describe('Restricts the bill types to those of this lab account.'),
});
export type PscQuery = z.output<typeof PscQuery>;

export const OrderPscQuery = z.object(pscFilter);
export type OrderPscQuery = z.output<typeof OrderPscQuery>;

export const OrderParams = z.object({ order_id: z.guid() });

const LngLat = z
  .object({ lng: z.number().min(-180).max(180), lat: z.number().min(-90).max(90) })
  .meta({ id: 'LngLat' });

const SiteMetadata = z
  .object({
    name: z.string(),
    state: z.string().describe('Two-letter code.'),
    city: z.string(),
    zip_code: z.string(),
    first_line: z.string(),
    second_line: z.string().nullable(),
    phone_number: z.string().nullable(),
    fax_number: z.string().nullable(),
    hours: z
      .record(z.string(), z.array(z.object({ opens: z.string(), closes: z.string() })))
      .nullable()
      .describe(
        'Opening hours from `monday` to `sunday`, in local time such as `07:30`; empty for a closed day.',
      ),
  })
  .meta({ id: 'LabLocationMetadata' });

const SiteLocation = z
  .object({
    metadata: SiteMetadata,
    distance: z.int().describe('Great-circle distance in miles from the center of the ZIP code.'),
    site_code: z.string().describe("The laboratory's site code."),
    supported_bill_types: z.array(AreaBillingType),
    location: LngLat,
    capabilities: z.array(LabLocationCapability),
  })
  .meta({ id: 'ClientFacingLabLocation' });

export const PscInfo = z
  .object({
    lab_id: z.int(),
    slug: openEnum(Labs.options),
    patient_service_centers: z.array(SiteLocation).describe('Nearest first, at most 500.'),
  })
  .meta({ id: 'PSCInfo' });
export type PscInfo = z.input<typeof PscInfo>;

/** The API view of a site; `billed` returns the bill types that the account accepts in a state. */
export const viewSite = (
  site: PatientServiceCenter,
  billed: (state: string) => readonly AreaBillingType[],
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
