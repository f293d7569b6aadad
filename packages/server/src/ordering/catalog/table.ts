import type { Generated } from 'kysely';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type { CatalogResult, Marker } from './lab-test.ts';
import type { CollectionMethod, LabTestStatus, SampleType } from './schema.ts';

/** What a template is for: every team, or sandboxes only. */
export type CatalogTemplateKind = 'lab_test' | 'sandbox_lab_test' | 'lab_account';

declare module '../../platform/db/database.ts' {
  interface Database {
    lab: {
      id: number;
      slug: string;
      name: string;
      first_line_address: string;
      city: string;
      zipcode: string;
      collection_methods: CollectionMethod[];
      sample_types: SampleType[];
      clia: string | null;
      director: string | null;
      source: Generated<'shipped' | 'imported'>;
    };
    marker: {
      id: number;
      lab_id: number;
      slug: string;
      name: string;
      description: string | null;
      provider_id: string | null;
      type: Marker['type'];
      unit: string | null;
      price: number | null;
      aoe: Marker['aoe'];
      expected_results: readonly CatalogResult[];
      a_la_carte_enabled: boolean;
      is_orderable: boolean;
      common_tat_days: number | null;
      worst_case_tat_days: number | null;
      synonyms: string[];
      cpt_codes: Generated<string[]>;
      source: Generated<'shipped' | 'imported'>;
      retired_at: Generated<Date | null>;
    };
    catalog_template: { kind: CatalogTemplateKind; position: number; body: unknown };
    catalog_version: { id: Generated<boolean>; version: number };
    catalog_load: { id: Generated<boolean>; checksum: string };
    lab_test: TenantColumns & {
      id: string;
      slug: string;
      name: string;
      description: string | null;
      lab_id: number;
      sample_type: SampleType;
      method: CollectionMethod;
      price: number;
      status: LabTestStatus;
      fasting: boolean;
      auto_generated: boolean;
      registrable: boolean;
      marker_key: string | null;
      version_of: Generated<string | null>;
      created_at: Date;
      updated_at: Date;
    };
    lab_test_change: TenantColumns & {
      lab_test_id: string;
      id: string;
      action: 'created' | 'renamed' | 'retired' | 'activated' | 'approved';
      name: string;
      status: LabTestStatus;
      request_id: string | null;
      at: Date;
    };
    lab_test_marker: TenantColumns & { lab_test_id: string; marker_id: number; position: number };
  }
}
