const NUMBER_FROM = 15;
const NUMBER_TO = 18;

/**
 * A UUIDv7 with a number below 4,096 in the twelve bits after its version, so that related ids share all other bits.
 */
export const numberedId = (id: string, number: number): string =>
  id.slice(0, NUMBER_FROM) + number.toString(16).padStart(NUMBER_TO - NUMBER_FROM, '0') + id.slice(NUMBER_TO);
