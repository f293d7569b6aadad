import type {
  Analyte,
  LabTestRow,
  MarkerRow,
  Measure,
  SeedLab,
  SeedLabAccount,
  SeedLoinc,
} from './schema.ts';

/** A result that a marker brings, with what is needed to believe or to invent it. */
export interface SeedResult {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly lab_id: number;
  readonly provider_id: string;
  readonly required: boolean;
  /** The same at every laboratory: joins results of one kind that carry no LOINC. */
  readonly analyte: string;
  readonly synonyms: readonly string[];
  readonly loinc: SeedLoinc | null;
  readonly measure: Measure;
}

export type SeedMarker = Omit<MarkerRow, 'expected_results'> & {
  readonly lab_id: number;
  readonly lab: SeedLab['slug'];
  readonly expected_results: readonly SeedResult[];
};

export type SeedLabTest = LabTestRow & { readonly lab_id: number; readonly marker_ids: readonly number[] };

export interface CatalogSeed {
  readonly labs: readonly SeedLab[];
  readonly analytes: readonly Analyte[];
  readonly markers: readonly SeedMarker[];
  readonly lab_tests: readonly SeedLabTest[];
  readonly lab_accounts: readonly SeedLabAccount[];
}
