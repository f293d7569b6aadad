/** What stands in the place of a secret. Put back as it came, it keeps the secret that it stands for. */
export const MASK = '********';

/** Names of fields whose texts are secrets. */
const SECRET = /secret|token|password|passphrase|credential|api_?key|private_?key/i;

/** The document with every secret text in it replaced by the mask; all below a field of such a name is secret. */
export function masked(value: unknown, isSecret = false): unknown {
  if (typeof value === 'string') return isSecret ? MASK : value;
  if (Array.isArray(value)) return value.map((item) => masked(item, isSecret));
  if (typeof value !== 'object' || value === null) return isSecret && value !== null ? MASK : value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, masked(inner, isSecret || SECRET.test(name))]),
  );
}

/** The document with every mask in it replaced by what stood in its place before; undefined when nothing stood there. */
export function unmasked(value: unknown, before: unknown): unknown {
  if (value === MASK) return before;
  if (Array.isArray(value)) return value.map((item, place) => unmasked(item, at(before, String(place))));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, unmasked(inner, at(before, name))]),
  );
}

const at = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
