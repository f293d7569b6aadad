import { diagnosesAtHand, openDirectories } from './directories.ts';
import type { CodesVerdict, DiagnosisIndex } from './directory/diagnosis.ts';

export { createInsurance, findCoverage, findInsurance, latestInsurance, type Coverage } from './coverage.ts';
export type { CodesVerdict, DiagnosisIndex } from './directory/diagnosis.ts';
export { writtenCode } from './directory/icd-code.ts';
export { isMedicare, unpaidByMedicare } from './medicare.ts';
export { insuranceRoutes } from './routes.ts';

/** The index of diagnosis codes below the package folder, one for the process. */
export const openDiagnoses = (root: URL): DiagnosisIndex => openDirectories(root).diagnoses;

/** Judges ICD-10-CM codes together: by the index that was opened last, unless another is given. */
export const validateDiagnoses = (
  codes: readonly string[],
  index: DiagnosisIndex = diagnosesAtHand(),
): CodesVerdict => index.validate(codes);
