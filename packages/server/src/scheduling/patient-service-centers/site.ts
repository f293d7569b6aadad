import type { OpenHours, VisitLocation } from '../../adapters/scheduling/port.ts';
import type { AreaBillingType, LabLocationCapability } from '../areas/schema.ts';

/** A patient service center: a site of a laboratory that collects samples of walk-in patients. */
export interface PatientServiceCenter extends VisitLocation {
  readonly labId: number;
  /** The laboratory's slug. */
  readonly lab: string;
  readonly phone: string | null;
  readonly fax: string | null;
  /** Monday first, in local time; a day without intervals is closed. */
  readonly hours: readonly (readonly OpenHours[])[];
  readonly capabilities: readonly LabLocationCapability[];
  readonly billTypes: readonly AreaBillingType[];
  /** `made`: a fictional site that ships with the service, returned in sandboxes only. */
  readonly source: 'made' | 'imported';
  /** Great-circle distance from the requested point; null without one. */
  readonly distanceMiles: number | null;
}
