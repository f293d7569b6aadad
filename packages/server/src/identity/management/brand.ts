import type { Work } from '../../platform/work.ts';
import { readTeamSettings, type TeamSettings } from './settings.ts';

/** How pages, mails and documents of a team look, with what a team has not chosen filled in. */
export interface Brand {
  /** The name that patients see; empty if the team has chosen none. */
  readonly name: string;
  /** The main color, `#rrggbb`. */
  readonly color: string;
  /** The color of text on the main color, black or white: whichever can be read better. */
  readonly textColor: string;
  /** The URL of the website; empty without one. */
  readonly website: string;
  readonly supportEmail: string;
  readonly supportContact: string;
  /** The postal address; may have several lines. */
  readonly address: string;
}

const DEFAULT_COLOR = '#1f3a5f';
const WHITE = '#ffffff';
const BLACK = '#111111';

/** The brand of the tenant. */
export const readBrand = async (work: Work): Promise<Brand> =>
  toBrand((await readTeamSettings(work)).brand_information);

/** The brand of settings, as they are stored or as they are being edited. */
export function toBrand(brand: TeamSettings['brand_information']): Brand {
  const color = toHexColor(brand?.brand_color ?? '') ?? DEFAULT_COLOR;
  return {
    name: brand?.company_name ?? '',
    color,
    textColor: contrast(color, WHITE) >= contrast(color, BLACK) ? WHITE : BLACK,
    website: brand?.company_website ?? '',
    supportEmail: brand?.support_email ?? '',
    supportContact: brand?.support_contact ?? '',
    address: brand?.company_address ?? '',
  };
}

/** `#rrggbb` in small letters for `#rgb` and `#rrggbb`; undefined for what is no such color. */
export function toHexColor(text: string): string | undefined {
  const digits = /^#([\da-f]{3}|[\da-f]{6})$/i.exec(text.trim())?.[1]?.toLowerCase();
  if (digits === undefined) return undefined;
  return `#${digits.length === 6 ? digits : digits.replace(/./g, '$&$&')}`;
}

/** The contrast ratio of two colors by WCAG 2: from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
