import type { OpenHours, VisitPlace } from '../../adapters/scheduling/port.ts';
import type { Bill, Capability } from '../areas/schema.ts';

/** A patient service center: where a laboratory takes samples of those who walk in. */
export interface Site extends VisitPlace {
  readonly labId: number;
  /** The laboratory's slug. */
  readonly lab: string;
  readonly phone: string | null;
  readonly fax: string | null;
  /** Monday first, in local time; a day without stretches is closed. */
  readonly hours: readonly (readonly OpenHours[])[];
  readonly capabilities: readonly Capability[];
  readonly billTypes: readonly Bill[];
  /** `made`: an invention that came with the service, seen in sandboxes only. */
  readonly source: 'made' | 'imported';
  /** By great circle from the point that was asked for; null where none was. */
  readonly distanceMiles: number | null;
}
