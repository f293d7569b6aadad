/** Replaces a secret in responses. Sending it back keeps the secret. */
export const MASK = '********';

/**
 * Field names whose values are secrets. Errs on the side of masking, because a mask that is sent back keeps the value.
 */
const SECRET =
  /secret|token|passw|passphrase|passcode|pwd|credential|authorization|(api|private)[\W_]?key|keys?$|pass$|(^|[\W_])(pin|auth)$/i;

/** Replaces every secret in a document by the mask. Everything below a secret field is secret. */
export function maskSecrets(value: unknown, isSecret = false): unknown {
  if (typeof value === 'string') return isSecret ? MASK : value;
  if (Array.isArray(value)) return value.map((item) => maskSecrets(item, isSecret));
  if (typeof value !== 'object' || value === null) return isSecret && value !== null ? MASK : value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, maskSecrets(inner, isSecret || SECRET.test(name))]),
  );
}

const ADDRESS = /[^\s<>"',;:()]+@[^\s<>"',;:()]+/g;

/** Replaces every e-mail address in a document by the mask. */
export function maskEmailAddresses(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(ADDRESS, MASK);
  if (Array.isArray(value)) return value.map(maskEmailAddresses);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name.replace(ADDRESS, MASK), maskEmailAddresses(inner)]),
  );
}

/** Replaces every mask in a document by the value at the same path before; undefined if there was none. */
export function restoreSecrets(value: unknown, before: unknown): unknown {
  if (value === MASK) return before;
  if (Array.isArray(value))
    return value.map((item, place) => restoreSecrets(item, getOwn(before, String(place))));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, restoreSecrets(inner, getOwn(before, name))]),
  );
}

/** Whether a restored document contains undefined, that is a mask without a stored value. */
export const hasUnresolvedMask = (value: unknown): boolean =>
  value === undefined ||
  (typeof value === 'object' && value !== null && Object.values(value).some(hasUnresolvedMask));

const getOwn = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
