/** What stands in the place of a secret. Put back as it came, it keeps the secret that it stands for. */
export const MASK = '********';

/** Names of fields whose texts are secrets. Rather one too many: a mask that comes back keeps what it stands for. */
const SECRET =
  /secret|token|passw|passphrase|passcode|pwd|credential|authorization|(api|private)[\W_]?key|keys?$|pass$|(^|[\W_])(pin|auth)$/i;

/** The document with every secret text in it replaced by the mask; all below a field of such a name is secret. */
export function masked(value: unknown, isSecret = false): unknown {
  if (typeof value === 'string') return isSecret ? MASK : value;
  if (Array.isArray(value)) return value.map((item) => masked(item, isSecret));
  if (typeof value !== 'object' || value === null) return isSecret && value !== null ? MASK : value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, masked(inner, isSecret || SECRET.test(name))]),
  );
}

const ADDRESS = /[^\s<>"',;:()]+@[^\s<>"',;:()]+/g;

/** The document with the mask in the place of every e-mail address. */
export function withoutAddresses(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(ADDRESS, MASK);
  if (Array.isArray(value)) return value.map(withoutAddresses);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name.replace(ADDRESS, MASK), withoutAddresses(inner)]),
  );
}

/** The document with every mask in it replaced by what stood in its place before; undefined where nothing stood there. */
export function unmasked(value: unknown, before: unknown): unknown {
  if (value === MASK) return before;
  if (Array.isArray(value)) return value.map((item, place) => unmasked(item, at(before, String(place))));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, unmasked(inner, at(before, name))]),
  );
}

/** Whether something in an unmasked document is undefined: a mask stood for nothing. */
export const hasGap = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && Object.values(value).some(hasGap));

const at = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
