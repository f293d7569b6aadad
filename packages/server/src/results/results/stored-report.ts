import type { LabReport } from '../../adapters/lab-network/port.ts';

/** A version of an order's results. */
export interface StoredReport extends LabReport {
  readonly version: number;
  readonly interpretation: 'normal' | 'abnormal' | 'critical' | 'unknown';
}
