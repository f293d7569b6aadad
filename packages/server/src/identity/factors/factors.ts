/** The entry point of the module: what members have to prove who they are, beside a password. */
export {
  addedFactor,
  findFactors,
  hasFactor,
  removeAllFactors,
  removeTotp,
  regenerateRecoveryCodes,
  type MemberFactors,
} from './member-factors.ts';
export { consumeRecoveryCode } from './recovery-codes.ts';
export {
  confirmTotpEnrollment,
  consumeTotpCode,
  startTotpEnrollment,
  type FactorOwner,
  type TotpEnrollment,
} from './totp.ts';
