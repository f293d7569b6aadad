import { requireOpenDiagnoses, openDirectories } from './directories.ts';
import type { IcdCodesValidation, DiagnosisIndex } from './directory/diagnosis.ts';

export { findCoverage, findInsurance } from './coverage.ts';
export type { IcdCodesValidation, DiagnosisIndex } from './directory/diagnosis.ts';
export { formatIcdCode } from './directory/icd-code.ts';
export { isMedicare, findMedicareDenialReason } from './medicare.ts';
export { insuranceRoutes } from './routes.ts';

/** Opens the index of diagnosis codes below the package folder; shared within the process. */
export const openDiagnoses = (root: URL): DiagnosisIndex => openDirectories(root).diagnoses;

/** Validates ICD-10-CM codes, alone and together. Uses the index that was opened last by default. */
export const validateDiagnoses = (
  codes: readonly string[],
  index: DiagnosisIndex = requireOpenDiagnoses(),
): IcdCodesValidation => index.validate(codes);
