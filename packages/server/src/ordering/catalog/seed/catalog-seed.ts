import type {
  SeedAnalyte,
  SeedLabTestRow,
  SeedMarkerRow,
  SeedMeasure,
  SeedLab,
  SeedLabAccount,
  SeedLoinc,
} from './schema.ts';

/** A result of a marker, with the measure that validates and simulates its values. */
export interface SeedResult {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly lab_id: number;
  readonly provider_id: string;
  readonly required: boolean;
  /** The same at every laboratory: links equal results that have no LOINC code. */
  readonly analyte: string;
  readonly synonyms: readonly string[];
  readonly loinc: SeedLoinc | null;
  readonly measure: SeedMeasure;
}

export type SeedMarker = Omit<SeedMarkerRow, 'expected_results'> & {
  readonly lab_id: number;
  readonly lab: SeedLab['slug'];
  readonly expected_results: readonly SeedResult[];
};

export type SeedLabTest = SeedLabTestRow & {
  readonly lab_id: number;
  readonly marker_ids: readonly number[];
};

export interface CatalogSeed {
  readonly labs: readonly SeedLab[];
  readonly analytes: readonly SeedAnalyte[];
  readonly markers: readonly SeedMarker[];
  /** Of every team. */
  readonly lab_tests: readonly SeedLabTest[];
  /** Of sandboxes, next to those of every team. */
  readonly sandbox_lab_tests: readonly SeedLabTest[];
  readonly lab_accounts: readonly SeedLabAccount[];
}
