const PREFIX = 'https://www.googleapis.com/auth/googlehealth.';
const readonly = (area: string): string => `${PREFIX}${area}.readonly`;

/**
 * The scopes of the interface, which are those of Fitbit's former API, and the Google scope that replaces each. The
 * time zone of a user is in the settings; `social` has no successor.
 */
// prettier-ignore
const GOOGLE_SCOPES: Readonly<Record<string, string>> = {
  activity:          readonly('activity_and_fitness'),
  cardio_fitness:    readonly('activity_and_fitness'),
  heartrate:         readonly('health_metrics_and_measurements'),
  oxygen_saturation: readonly('health_metrics_and_measurements'),
  respiratory_rate:  readonly('health_metrics_and_measurements'),
  temperature:       readonly('health_metrics_and_measurements'),
  weight:            readonly('health_metrics_and_measurements'),
  sleep:             readonly('sleep'),
  nutrition:         readonly('nutrition'),
  location:          readonly('location'),
  profile:           readonly('settings'),
  settings:          readonly('settings'),
};

export const toGoogleScopes = (scopes: readonly string[]): string[] => [
  ...new Set(scopes.flatMap((scope) => GOOGLE_SCOPES[scope] ?? [])),
];

/**
 * All scopes of the interface that the granted ones cover. A grant that covers none keeps Google's names: an empty list
 * would mean that the scopes are unknown.
 */
export function fromGoogleScopes(granted: readonly string[]): readonly string[] {
  const covered = Object.entries(GOOGLE_SCOPES)
    .filter(([, google]) => granted.includes(google))
    .map(([scope]) => scope);
  return covered.length > 0 ? covered : granted;
}
