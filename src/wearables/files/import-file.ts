import type { FileHandle } from 'node:fs/promises';
import type { App } from '../../app.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Reading } from '../readings.ts';
import { inTenant } from '../../platform/work.ts';
import { takeIn, tellUntold, type Count, type Refusal } from '../taking-in/taking-in.ts';
import { readFile, type FileKind } from './files.ts';
import { UnreadableFile, type FileFault, type FileReport } from './report.ts';

/** What came of a file. */
export interface Imported {
  readonly counts: Readonly<Record<string, Count>>;
  readonly skipped: Readonly<Record<string, number>>;
  /** What could not be understood, then what was not believed; the first of each. */
  readonly faults: readonly FileFault[];
  readonly faultCount: number;
  /** Where the reading ended too early; what came before it is stored. */
  readonly broken: UnreadableFile | null;
}

/** Nothing of the file is stored. */
export class NothingTaken extends Error {}

interface Given {
  readonly file: FileHandle;
  readonly kind: FileKind;
  readonly report: FileReport;
  /** Called between readings; throws to stop. */
  readonly check: () => void;
}

/**
 * Reads a file and stores it as history of the user: at the end one event for each resource and provider tells over what
 * time something is new. The same file again changes nothing and tells nothing.
 * Throws `NothingTaken` where it is no good as a whole, and a 404 for the user.
 */
export async function importFile(
  app: App,
  to: { readonly tenant: Tenant; readonly userId: string },
  { file, kind, report, check }: Given,
): Promise<Imported> {
  const told: { broken: UnreadableFile | null; count: number } = { broken: null, count: 0 };
  async function* readings(): AsyncGenerator<Reading> {
    try {
      for await (const reading of readFile(kind, file, report)) {
        check();
        told.count += 1;
        yield reading;
      }
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      told.broken = error;
    }
  }
  const taken = await takeIn(app, to, readings(), { told: 'in sum' });
  await inTenant(app, to.tenant, (work) => tellUntold(work, to.userId));
  const { broken } = told;
  if (broken && told.count === 0) throw new NothingTaken(broken.message);
  return {
    counts: taken.counts,
    skipped: Object.fromEntries(report.skipped),
    faults: [...report.faults, ...taken.refused.map(faultOf)],
    faultCount: report.faultCount + taken.refusedCount,
    broken,
  };
}

const faultOf = ({ reading, resource, loc, msg }: Refusal): FileFault => ({
  place: `${resource}, reading ${reading}${loc.length > 0 ? `, ${loc.join('.')}` : ''}`,
  reason: msg,
});
