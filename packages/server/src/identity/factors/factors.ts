/** The entry point of the module: what members have to prove who they are, beside a password. */
export {
  addedFactor,
  findFactors,
  hasFactor,
  removeAllFactors,
  removePasskey,
  removeTotp,
  regenerateRecoveryCodes,
  type MemberFactors,
} from './member-factors.ts';
export {
  consumePasskeyChallenge,
  createPasskeyChallenge,
  registerPasskey,
  relyingPartyOf,
  toUserHandle,
  PASSKEY_ALGORITHMS,
  verifyPasskey,
  type PasskeyAssertion,
  type PasskeyAttestation,
} from './passkeys.ts';
export { listPasskeys, renamePasskey, type PasskeyRow } from './passkey-store.ts';
export { consumeRecoveryCode } from './recovery-codes.ts';
export {
  checkTotpSecrets,
  confirmTotpEnrollment,
  consumeTotpCode,
  startTotpEnrollment,
  type FactorOwner,
  type TotpEnrollment,
} from './totp.ts';
