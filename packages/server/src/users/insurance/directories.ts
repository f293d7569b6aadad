import { openDiagnosisIndex, type DiagnosisIndex } from './directory/diagnosis.ts';
import { openPayorDirectory, type PayorDirectory } from './directory/payors.ts';

interface InsuranceDirectories {
  readonly diagnoses: DiagnosisIndex;
  readonly payors: PayorDirectory;
}

const openedDirectories = new Map<string, InsuranceDirectories>();
let latestDirectories: InsuranceDirectories | undefined;

/**
 * Opens the codes and payors below the package folder. They are part of the release and never change, so a process
 * loads them once, on first use, even if it builds several apps.
 */
export function openDirectories(root: URL): InsuranceDirectories {
  const folder = new URL('data/insurance/', root);
  latestDirectories = openedDirectories.get(folder.href) ?? {
    diagnoses: openDiagnosisIndex(folder),
    payors: openPayorDirectory(folder),
  };
  openedDirectories.set(folder.href, latestDirectories);
  return latestDirectories;
}

/** The diagnosis codes of the release, for code that only has `work`. */
export function requireOpenDiagnoses(): DiagnosisIndex {
  if (!latestDirectories)
    throw new Error('The diagnosis codes are not open: call openDiagnoses(app.root) first');
  return latestDirectories.diagnoses;
}
