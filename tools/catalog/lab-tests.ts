import type { SeedLabTestRow } from '../../packages/server/src/ordering/catalog/seed/schema.ts';

/** A standard lab test; its markers are the keys of panels and analytes. */
export type LabTestSource = Omit<SeedLabTestRow, 'provider_ids'> & { readonly markers: readonly string[] };

/** Every team gets these: one for each collection method. Their only question is fasting, which the lab test itself answers. */
export const LAB_TESTS: readonly LabTestSource[] = [
  {
    slug: 'standard-health-kit',
    name: 'Standard Health Kit',
    description:
      'A finger prick at home: heart, sugar, thyroid, vitamin D and testosterone from dried blood spots.',
    lab: 'ussl',
    method: 'testkit',
    sample_type: 'dried_blood_spot',
    fasting: false,
    registrable: true,
    price: 119,
    markers: [
      'cholesterol',
      'hdl',
      'ldl_direct',
      'hba1c',
      'hs_crp',
      'tsh',
      'vitamin_d_25',
      'testosterone_total',
    ],
  },
  {
    slug: 'standard-walk-in-panel',
    name: 'Standard Walk-In Panel',
    description:
      'A visit to a patient service center: metabolism, lipids, blood count, hemoglobin A1c and thyroid.',
    lab: 'labcorp',
    method: 'walk_in_test',
    sample_type: 'serum',
    fasting: true,
    registrable: false,
    price: 89,
    markers: ['comprehensive_metabolic_panel', 'lipid_panel', 'cbc_with_differential', 'hba1c', 'tsh'],
  },
  {
    slug: 'standard-at-home-panel',
    name: 'Standard At-Home Panel',
    description:
      'A phlebotomist comes to the patient: metabolism, blood count, iron, vitamin D and inflammation.',
    lab: 'labcorp',
    method: 'at_home_phlebotomy',
    sample_type: 'serum',
    fasting: false,
    registrable: false,
    price: 149,
    markers: ['comprehensive_metabolic_panel', 'cbc_with_differential', 'ferritin', 'vitamin_d_25', 'hs_crp'],
  },
  {
    slug: 'standard-on-site-panel',
    name: 'Standard On-Site Panel',
    description: "A draw at the customer's own place: metabolism, lipids, blood count and hemoglobin A1c.",
    lab: 'bioreference',
    method: 'on_site_collection',
    sample_type: 'serum',
    fasting: true,
    registrable: false,
    price: 79,
    markers: ['basic_metabolic_panel', 'lipid_panel', 'cbc_without_differential', 'hba1c'],
  },
];
