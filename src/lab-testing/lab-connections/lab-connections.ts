/**
 * The lines between teams and laboratories: what comes is kept before it is acknowledged, and its reports are taken by
 * a job; what goes is kept before it is sent.
 */
export { startLabLine, type Line } from './line.ts';
export {
  claimLetter,
  listLetters,
  readLetter,
  resealUnclaimed,
  type Claimed,
  type Letter,
} from './letters.ts';
