import { openDiagnosisIndex, type DiagnosisIndex } from './directory/diagnosis.ts';
import { openPayorDirectory, type PayorDirectory } from './directory/payors.ts';

export interface Directories {
  readonly diagnoses: DiagnosisIndex;
  readonly payors: PayorDirectory;
}

const opened = new Map<string, Directories>();
let latest: Directories | undefined;

/**
 * The codes and payors below the package folder. They are part of the release and never change, so a process reads
 * them once, at the first question, however many apps it builds.
 */
export function openDirectories(root: URL): Directories {
  const folder = new URL('data/insurance/', root);
  latest = opened.get(folder.href) ?? {
    diagnoses: openDiagnosisIndex(folder),
    payors: openPayorDirectory(folder),
  };
  opened.set(folder.href, latest);
  return latest;
}

/** The diagnosis codes of the release, for rules that are given `work` alone. */
export function diagnosesAtHand(): DiagnosisIndex {
  if (!latest) throw new Error('The diagnosis codes are not open: call openDiagnoses(app.root) first');
  return latest.diagnoses;
}
