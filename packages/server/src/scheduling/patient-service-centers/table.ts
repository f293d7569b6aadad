import type { ColumnType, Generated } from 'kysely';
import type { OpenHours } from '../../adapters/scheduling/port.ts';
import type { AreaBillingType, LabLocationCapability } from '../areas/schema.ts';

declare module '../../platform/db/database.ts' {
  interface Database {
    psc_site: {
      lab_id: number;
      code: string;
      name: string;
      first_line: string;
      second_line: string | null;
      city: string;
      state: string;
      zip: string;
      lat: number;
      lng: number;
      time_zone: string;
      phone: string | null;
      fax: string | null;
      hours: ColumnType<OpenHours[][], string, string>;
      capabilities: LabLocationCapability[];
      bill_types: AreaBillingType[];
      source: 'made' | 'imported';
    };
    psc_site_load: { id: Generated<boolean>; checksum: string };
  }
}
