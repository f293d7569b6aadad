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
  labs: z.array(AreaLab).max(10).nullish().describe('Laboratories to return. Default: all.'),
  lab_account_id: z
    .guid()
    .nullish()
    .describe('Restricts the response to the laboratory and billing of this lab account.'),
});
export type AreaQuery = z.output<typeof AreaQuery>;

export const AreaBillingType = z.enum([
  'client_bill',
  'commercial_insurance',
  'patient_bill_passthrough',
  'patient_bill',
]);
export type AreaBillingType = z.output<typeof AreaBillingType>;
export const AREA_BILLING_TYPES: readonly AreaBillingType[] = AreaBillingType.options;

export const LabLocationCapability = z
  .enum(['stat', 'appointment_scheduling_via_junction', 'appointment_scheduling_with_lab'])
  .meta({ id: 'LabLocationCapability' });
export type LabLocationCapability = z.output<typeof LabLocationCapability>;

const PhlebotomyProviderInfo = z
  .object({
    name: z.enum(['getlabs', 'phlebfinders', 'quest', 'sonora_quest']),
    service_types: z.array(z.enum(['appointment-ready', 'appointment-request'])),
  })
  .meta({ id: 'PhlebotomyProviderInfo' });
export type PhlebotomyProviderInfo = z.output<typeof PhlebotomyProviderInfo>;

const ServiceCenterAreaDetails = z
  .object({
    appointment_with_vital: z.boolean().describe('Whether appointments can be booked through this API.'),
    within_radius: z.int(),
    radius: z.string(),
    capabilities: z.array(LabLocationCapability),
  })
  .meta({ id: 'PSCAreaInfoDetails' });
export type ServiceCenterAreaDetails = z.output<typeof ServiceCenterAreaDetails>;

export const AreaView = z
  .object({
    zip_code: z.string(),
    phlebotomy: z
      .object({ is_served: z.boolean(), providers: z.array(PhlebotomyProviderInfo) })
      .meta({ id: 'PhlebotomyAreaInfo' }),
    central_labs: z.record(
      z.string(),
      z
        .object({
          patient_service_centers: ServiceCenterAreaDetails,
          supported_bill_types: z.array(AreaBillingType),
          lab_id: z.int(),
        })
        .meta({ id: 'PSCAreaInfo' }),
    ),
  })
  .meta({ id: 'AreaInfo' });
export type AreaView = z.input<typeof AreaView>;
