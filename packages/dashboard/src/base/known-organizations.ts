const KEY = 'dashboard-organizations';
const KEPT = 8;

/** An organization in which this browser was signed in. */
interface KnownOrganization {
  readonly id: string;
  readonly name: string;
}

const isKnown = (value: unknown): value is KnownOrganization =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  'name' in value &&
  typeof value.id === 'string' &&
  typeof value.name === 'string';

/** The last one first. */
export function knownOrganizations(): readonly KnownOrganization[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isKnown) : [];
  } catch {
    return [];
  }
}

/** So that a person of several organizations chooses by name. Nothing of a patient or of the person is stored. */
export function rememberOrganization(organization: KnownOrganization): void {
  const others = knownOrganizations().filter(({ id }) => id !== organization.id);
  localStorage.setItem(KEY, JSON.stringify([organization, ...others].slice(0, KEPT)));
}
