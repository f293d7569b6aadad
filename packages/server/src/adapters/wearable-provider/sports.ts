/** Provider-specific names of sports, lowercase without punctuation, mapped to our slugs. */
// prettier-ignore
const ALIASES: Readonly<Record<string, string>> = {
  run: 'running', virtualrun: 'treadmill_running', trailrun: 'trail_running', indoorrunning: 'treadmill_running',
  treadmill: 'treadmill_running', joggingrunning: 'running', ride: 'cycling', bike: 'cycling', biking: 'cycling',
  bicycling: 'cycling', roadbiking: 'cycling', outdoorbike: 'cycling', virtualride: 'indoor_cycling',
  spinning: 'indoor_cycling', spinclass: 'indoor_cycling', indoorcycling: 'indoor_cycling',
  mountainbikeride: 'mountain_biking', mountainbiking: 'mountain_biking', gravelride: 'gravel_cycling',
  gravelbiking: 'gravel_cycling', ebikeride: 'e_biking', ebiking: 'e_biking', walk: 'walking', indoorwalk: 'walking',
  hike: 'hiking', swim: 'swimming', openwaterswimming: 'open_water_swimming', weights: 'strength_training',
  weighttraining: 'strength_training', weightlifting: 'strength_training', liftweights: 'strength_training',
  strengthtraining: 'strength_training', functionalfitness: 'functional_training', crossfit: 'cross_training',
  highintensityintervaltraining: 'hiit', workout: 'cardio_training', fitness: 'cardio_training',
  stairstepper: 'stair_climbing', stairmaster: 'stair_climbing', rockclimbing: 'climbing', dancing: 'dance',
  nordicski: 'cross_country_skiing', nordicskiing: 'cross_country_skiing', alpineski: 'alpine_skiing',
  skiing: 'alpine_skiing', snowboard: 'snowboarding', standuppaddling: 'stand_up_paddling',
  standuppaddleboarding: 'stand_up_paddling', kayak: 'kayaking', rowing: 'rowing', basketball: 'basketball',
  volleyball: 'volleyball', horseriding: 'horseback_riding', sport: 'other', activity: 'other', unknown: 'other',
};

interface ProviderSport {
  readonly name: string;
  readonly slug: string;
}

/** Normalizes a provider's sport name: `TrailRun`, `MOUNTAIN_BIKING`, `Outdoor Bike`. */
export function toSport(word: string | null | undefined): ProviderSport {
  const words = (word ?? 'other').replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  const slug = words
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 60);
  const known = ALIASES[slug.replaceAll('_', '')] ?? (slug === '' ? 'other' : slug);
  const name = known.replaceAll('_', ' ');
  return { slug: known, name: `${name.slice(0, 1).toUpperCase()}${name.slice(1)}` };
}
