import type { SeedLab } from '../../packages/server/src/ordering/catalog/seed/schema.ts';
import {
  CARDIO_KITS,
  FOOD_KITS,
  GENERAL_KITS,
  HOME_KITS,
  INFECTION_KITS,
  ALLERGY_KITS,
} from './kit-offers.ts';

/** A laboratory, the scheme of its test codes, and the analytes and panels that it offers. */
export interface LabSource {
  readonly lab: SeedLab;
  readonly prefix: string;
  /** Any prime above 5: gives different codes for the same numbers at every laboratory. */
  readonly spread: number;
  readonly priceFactor: number;
  readonly offers: (key: string) => boolean;
}

type LabFacts = Omit<SeedLab, 'collection_methods' | 'sample_types' | 'address_is_made'>;

/** A central laboratory draws blood at its sites, at the patient's home and at the customer's place. */
const central = (lab: LabFacts): SeedLab => ({
  ...lab,
  collection_methods: ['walk_in_test', 'at_home_phlebotomy', 'on_site_collection'],
  sample_types: ['serum', 'urine', 'saliva', 'stool'],
  address_is_made: true,
});

const kit = (lab: LabFacts, sample_types: SeedLab['sample_types']): SeedLab => ({
  ...lab,
  collection_methods: ['testkit'],
  sample_types,
  address_is_made: true,
});

/** Offered only by kit laboratories. */
const isKitOnly = (key: string): boolean => key.startsWith('kit_') || key.startsWith('igg_');
const allBut = (left: readonly string[]) => (key: string) => !isKitOnly(key) && !left.includes(key);
const only = (offered: readonly string[]) => (key: string) => offered.includes(key);

// prettier-ignore
export const LABS: readonly LabSource[] = [
  { lab: central({ id: 1, slug: 'labcorp', name: 'Labcorp', first_line_address: '100 Sample Requisition Road', city: 'Burlington', zipcode: '27215', clia: '00D0000001', director: 'Alex Sample, MD (fictional)' }),
    prefix: 'LC', spread: 7919, priceFactor: 1, offers: allBut(['insulin_free', 'cortisol_saliva', 'ige_latex']) },
  { lab: central({ id: 2, slug: 'quest', name: 'Quest Diagnostics', first_line_address: '200 Sample Accession Avenue', city: 'Secaucus', zipcode: '07094', clia: '00D0000002', director: 'Blake Specimen, MD (fictional)' }),
    prefix: 'QU', spread: 6841, priceFactor: 1.08, offers: allBut(['lipoprotein_a_mass', 'wellness_panel', 'thyroid_antibodies', 'arsenic_blood', 'heavy_metals_blood', 'ige_bahia_grass', 'ige_carrot']) },
  { lab: central({ id: 3, slug: 'bioreference', name: 'BioReference', first_line_address: '300 Sample Centrifuge Court', city: 'Elmwood Park', zipcode: '07407', clia: '00D0000003', director: 'Casey Centrifuge, MD (fictional)' }),
    prefix: 'BR', spread: 5501, priceFactor: 0.94, offers: allBut(['leptin', 'gastrin', 'aldolase', 'jak2_v617f', 'sirolimus', 'pain_management_screen', 'lupus_panel', 'ige_macadamia', 'ige_mucor', 'ige_oyster']) },
  { lab: central({ id: 4, slug: 'sonora_quest', name: 'Sonora Quest', first_line_address: '400 Sample Aliquot Way', city: 'Phoenix', zipcode: '85034', clia: '00D0000004', director: 'Drew Aliquot, MD (fictional)' }),
    prefix: 'SQ', spread: 4253, priceFactor: 0.97, offers: allBut(['lipoprotein_a_mass', 'coenzyme_q10', 'vitamin_c', 'thrombophilia_panel', 'mthfr_c677t', 'cryoglobulin', 'maternal_quad_screen', 'ige_brazil_nut', 'ige_white_mulberry']) },
  { lab: kit({ id: 11, slug: 'ussl', name: 'US Specialty Lab', first_line_address: '1100 Sample Finger Prick Lane', city: 'San Diego', zipcode: '92121', clia: '00D0000011', director: 'Ellis Fingerprick, MD (fictional)' }, ['dried_blood_spot', 'arm_collector']),
    prefix: 'US', spread: 3571, priceFactor: 1.2, offers: only(GENERAL_KITS) },
  { lab: kit({ id: 12, slug: 'crl', name: 'Clinical Reference Laboratory', first_line_address: '1200 Sample Courier Street', city: 'Lenexa', zipcode: '66219', clia: '00D0000012', director: 'Finley Courier, MD (fictional)' }, ['dried_blood_spot', 'saliva', 'urine']),
    prefix: 'CR', spread: 3169, priceFactor: 1.15, offers: only(HOME_KITS) },
  { lab: kit({ id: 13, slug: 'spiriplex', name: 'Spiriplex', first_line_address: '1300 Sample Allergen Drive', city: 'Burbank', zipcode: '91505', clia: '00D0000013', director: 'Gray Allergen, MD (fictional)' }, ['dried_blood_spot']),
    prefix: 'SP', spread: 2857, priceFactor: 0.8, offers: only(ALLERGY_KITS) },
  { lab: kit({ id: 14, slug: 'us_biotek', name: 'US BioTek', first_line_address: '1400 Sample Antibody Place', city: 'Shoreline', zipcode: '98133', clia: '00D0000014', director: 'Harper Antibody, MD (fictional)' }, ['dried_blood_spot', 'serum']),
    prefix: 'UB', spread: 2503, priceFactor: 0.7, offers: only(FOOD_KITS) },
  { lab: kit({ id: 15, slug: 'mtl', name: 'Molecular Testing Labs', first_line_address: '1500 Sample Swab Square', city: 'Vancouver', zipcode: '98684', clia: '00D0000015', director: 'Indigo Swab, MD (fictional)' }, ['dried_blood_spot', 'urine', 'stool']),
    prefix: 'MT', spread: 2203, priceFactor: 1.1, offers: only(INFECTION_KITS) },
  { lab: kit({ id: 16, slug: 'sanocardio', name: 'SanoCardio', first_line_address: '1600 Sample Lipid Boulevard', city: 'Austin', zipcode: '78758', clia: '00D0000016', director: 'Jules Lipid, MD (fictional)' }, ['dried_blood_spot', 'arm_collector']),
    prefix: 'SC', spread: 1907, priceFactor: 1.1, offers: only(CARDIO_KITS) },
];
