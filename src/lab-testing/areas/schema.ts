import { z } from 'zod';

export const AREA_LABS = ['quest', 'labcorp', 'bioreference', 'sonora_quest'] as const;
export const AreaLab = z.enum(AREA_LABS).meta({ id: 'ClientFacingLabs' });
export type AreaLab = z.output<typeof AreaLab>;

/** In miles. */
export const AllowedRadius = z.enum(['10', '20', '25', '50', '100']).meta({ id: 'AllowedRadius' });
export type AllowedRadius = z.output<typeof AllowedRadius>;

export const AreaQuery = z.object({
  zip_code: z.string().regex(/^\d{5}$/, 'expected five digits'),
  radius: AllowedRadius.default('25').describe('In miles.'),
  lab: AreaLab.nullish().meta({ deprecated: true }),
  labs: z.array(AreaLab).max(10).nullish().describe('All of them when left out.'),
  lab_account_id: z.guid().nullish().describe('Keeps to the laboratory and the billing of this lab account.'),
});
export type AreaQuery = z.output<typeof AreaQuery>;

export const Bill = z.enum([
  'client_bill',
  'commercial_insurance',
  'patient_bill_passthrough',
  'patient_bill',
]);
export type Bill = z.output<typeof Bill>;
export const BILLS: readonly Bill[] = Bill.options;

export const Capability = z
  .enum(['stat', 'appointment_scheduling_via_junction', 'appointment_scheduling_with_lab'])
  .meta({ id: 'LabLocationCapability' });
export type Capability = z.output<typeof Capability>;

const Phlebotomist = z
  .object({
    name: z.enum(['getlabs', 'phlebfinders', 'quest', 'sonora_quest']),
    service_types: z.array(z.enum(['appointment-ready', 'appointment-request'])),
  })
  .meta({ id: 'PhlebotomyProviderInfo' });
export type Phlebotomist = z.output<typeof Phlebotomist>;

const Sites = z
  .object({
    appointment_with_vital: z.boolean().describe('Appointments there can be booked here.'),
    within_radius: z.int(),
    radius: z.string(),
    capabilities: z.array(Capability),
  })
  .meta({ id: 'PSCAreaInfoDetails' });
export type Sites = z.output<typeof Sites>;

export const AreaView = z
  .object({
    zip_code: z.string(),
    phlebotomy: z
      .object({ is_served: z.boolean(), providers: z.array(Phlebotomist) })
      .meta({ id: 'PhlebotomyAreaInfo' }),
    central_labs: z.record(
      z.string(),
      z
        .object({ patient_service_centers: Sites, supported_bill_types: z.array(Bill), lab_id: z.int() })
        .meta({ id: 'PSCAreaInfo' }),
    ),
  })
  .meta({ id: 'AreaInfo' });
export type AreaView = z.input<typeof AreaView>;
