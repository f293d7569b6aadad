export interface Sport {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
}

/**
 * Every sport with a numeric id. The id is the index in this list and exists for older clients: never move a row, and
 * append new ones.
 */
// prettier-ignore
const SPORT_SLUGS = [
  'other', 'running', 'trail_running', 'treadmill_running', 'track_running', 'walking', 'hiking', 'cycling',
  'mountain_biking', 'gravel_cycling', 'indoor_cycling', 'e_biking', 'hand_cycling', 'swimming',
  'open_water_swimming', 'lap_swimming', 'triathlon', 'transition', 'rowing', 'indoor_rowing', 'kayaking',
  'paddling', 'stand_up_paddling', 'sailing', 'surfing', 'kitesurfing', 'windsurfing', 'water_skiing', 'diving',
  'alpine_skiing', 'cross_country_skiing', 'backcountry_skiing', 'snowboarding', 'snowshoeing', 'ice_skating',
  'inline_skating', 'skateboarding', 'strength_training', 'core_training', 'functional_training', 'cardio_training',
  'hiit', 'cross_training', 'elliptical', 'stair_climbing', 'jump_rope', 'yoga', 'pilates', 'barre', 'tai_chi',
  'mind_and_body', 'meditation', 'breathing', 'stretching', 'cooldown', 'dance', 'boxing', 'kickboxing',
  'martial_arts', 'wrestling', 'fencing', 'soccer', 'american_football', 'australian_football', 'rugby', 'basketball',
  'baseball', 'softball', 'volleyball', 'handball', 'hockey', 'lacrosse', 'cricket', 'tennis', 'table_tennis',
  'badminton', 'squash', 'racquetball', 'pickleball', 'padel', 'golf', 'disc_golf', 'bowling', 'archery', 'climbing',
  'bouldering', 'mountaineering', 'horseback_riding', 'hunting', 'fishing', 'gymnastics', 'track_and_field',
  'wheelchair_push', 'gaming', 'flying', 'motorsports',
] as const;
export type SportSlug = (typeof SPORT_SLUGS)[number];

/** Names that cannot be derived from their slugs. */
const NAMES: Partial<Record<SportSlug, string>> = {
  e_biking: 'E-biking',
  hiit: 'High-intensity interval training',
  stand_up_paddling: 'Stand-up paddling',
  cross_country_skiing: 'Cross-country skiing',
};

const SPORTS = new Map<string, Sport>(
  SPORT_SLUGS.map((slug, id) => [slug, { id, name: NAMES[slug] ?? toTitle(slug), slug }]),
);

const OTHER: Sport = { id: 0, name: 'Other', slug: 'other' };

export const getSport = (slug: SportSlug): Sport => SPORTS.get(slug) ?? OTHER;

/** The numeric id of a sport; undefined for a sport that is specific to a provider. */
export const findSportId = (slug: string): number | undefined => SPORTS.get(slug)?.id;

function toTitle(slug: string): string {
  const words = slug.replaceAll('_', ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/** Synonyms as they occur in files, in lower case and without blanks and punctuation. */
const ALIASES: Readonly<Record<string, SportSlug>> = {
  biking: 'cycling',
  bike: 'cycling',
  ride: 'cycling',
  roadcycling: 'cycling',
  roadbiking: 'cycling',
  road: 'cycling',
  cyclocross: 'cycling',
  recumbentcycling: 'cycling',
  trackcycling: 'cycling',
  bmx: 'cycling',
  downhillbiking: 'mountain_biking',
  mountainbikeride: 'mountain_biking',
  mountain: 'mountain_biking',
  mtb: 'mountain_biking',
  gravelride: 'gravel_cycling',
  virtualride: 'indoor_cycling',
  virtualactivity: 'indoor_cycling',
  spin: 'indoor_cycling',
  ebikeride: 'e_biking',
  ebiking: 'e_biking',
  ebikefitness: 'e_biking',
  ebikemountain: 'e_biking',
  handcycle: 'hand_cycling',
  run: 'running',
  streetrunning: 'running',
  ultrarun: 'running',
  obstaclerun: 'running',
  indoorrunning: 'treadmill_running',
  virtualrun: 'treadmill_running',
  treadmill: 'treadmill_running',
  trailrun: 'trail_running',
  trail: 'trail_running',
  track: 'track_running',
  walk: 'walking',
  hike: 'hiking',
  swim: 'swimming',
  openwater: 'open_water_swimming',
  lapswimming: 'lap_swimming',
  multisport: 'triathlon',
  swimbikerun: 'triathlon',
  canoeing: 'paddling',
  paddlesports: 'paddling',
  kayaking: 'kayaking',
  standuppaddleboarding: 'stand_up_paddling',
  surfingsports: 'surfing',
  waterskiing: 'water_skiing',
  underwaterdiving: 'diving',
  downhillskiing: 'alpine_skiing',
  alpineski: 'alpine_skiing',
  nordicski: 'cross_country_skiing',
  rollerski: 'cross_country_skiing',
  snowboard: 'snowboarding',
  snowshoe: 'snowshoeing',
  kitesurf: 'kitesurfing',
  windsurf: 'windsurfing',
  velomobile: 'cycling',
  workout: 'cardio_training',
  wheelchair: 'wheelchair_push',
  backcountryski: 'backcountry_skiing',
  skatingsports: 'ice_skating',
  iceskate: 'ice_skating',
  inlineskate: 'inline_skating',
  traditionalstrengthtraining: 'strength_training',
  weighttraining: 'strength_training',
  functionalstrengthtraining: 'functional_training',
  training: 'cardio_training',
  fitnessequipment: 'cardio_training',
  mixedcardio: 'cardio_training',
  highintensityintervaltraining: 'hiit',
  crossfit: 'cross_training',
  floorclimbing: 'stair_climbing',
  stairs: 'stair_climbing',
  stairstepper: 'stair_climbing',
  flexibility: 'stretching',
  flexibilitytraining: 'stretching',
  preparationandrecovery: 'stretching',
  dancing: 'dance',
  cardiodance: 'dance',
  socialdance: 'dance',
  dancinginspiredtraining: 'dance',
  mixedmartialarts: 'martial_arts',
  rockclimbing: 'climbing',
  equestriansports: 'horseback_riding',
  discsports: 'disc_golf',
  wheelchairwalkpace: 'wheelchair_push',
  wheelchairrunpace: 'wheelchair_push',
  wheelchairpushwalk: 'wheelchair_push',
  wheelchairpushrun: 'wheelchair_push',
  fitnessgaming: 'gaming',
  videogaming: 'gaming',
  motorcycling: 'motorsports',
  driving: 'motorsports',
  indoorrowing: 'indoor_rowing',
  breathwork: 'breathing',
};

const normalizeWord = (word: string): string => word.toLowerCase().replace(/[^a-z]/g, '');
const SLUG_BY_WORD = new Map<string, SportSlug>([
  ...SPORT_SLUGS.map((slug): [string, SportSlug] => [normalizeWord(slug), slug]),
  ...Object.entries(ALIASES),
]);

/** The sport of the first word that is known; `other` if none is. */
export function matchSport(...words: readonly (string | null | undefined)[]): Sport {
  for (const word of words) {
    const slug = SLUG_BY_WORD.get(normalizeWord(word ?? ''));
    if (slug !== undefined) return getSport(slug);
  }
  return OTHER;
}
