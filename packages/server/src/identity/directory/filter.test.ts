import { describe, expect, it } from 'vitest';
import { bindFilter } from './bound-filter.ts';
import { matchesFilter } from './evaluate-filter.ts';
import { parseFilter } from './filter.ts';
import { scimError } from './scim-error.ts';
import { USER_RESOURCE } from './scim-schema.ts';

const ada = {
  id: '01900000-0000-7000-8000-00000000000a',
  externalId: 'A1',
  userName: 'Ada@Clinic.example',
  name: { formatted: 'Ada "The" Lovelace', familyName: 'Lovelace' },
  displayName: 'Ada',
  active: true,
  emails: [
    { value: 'ada@clinic.example', type: 'work', primary: true },
    { value: 'ada@home.example', type: 'home' },
  ],
  groups: [],
  meta: {
    created: '2026-03-02T15:00:00+00:00',
    lastModified: '2026-03-02T15:00:00+00:00',
    resourceType: 'User',
  },
};

const matches = (filter: string): boolean =>
  matchesFilter(
    bindFilter(USER_RESOURCE, parseFilter(filter), (reason) => scimError('invalidFilter', reason)),
    ada,
  );

describe('a filter', () => {
  // prettier-ignore
  it.each([
    ['userName eq "ada@clinic.example"',                             true],
    ['USERNAME EQ "ADA@clinic.example"',                             true],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName sw "ada"', true],
    ['externalId eq "a1"',                                           false],
    ['externalId eq "A1"',                                           true],
    ['externalId ne "A1"',                                           false],
    ['name.givenName ne "x"',                                        true],
    ['name.familyName co "LACE"',                                    true],
    ['name.familyName ew "lace"',                                    true],
    ['name.formatted co "\\"The\\""',                                true],
    ['name.givenName pr',                                            false],
    ['name pr',                                                      true],
    ['groups pr',                                                    false],
    ['emails pr',                                                    true],
    ['not (groups pr)',                                              true],
    ['name.givenName eq null',                                       true],
    ['displayName ne null',                                          true],
    ['active eq true',                                               true],
    ['active eq "True"',                                             true],
    ['active ne true',                                               false],
    ['displayName gt "Abc" and displayName lt "b"',                  true],
    ['displayName ge "ada" and displayName le "ADA"',                true],
    ['meta.created gt "2026-03-02T14:59:59Z"',                       true],
    ['meta.created eq "2026-03-02T16:00:00+01:00"',                  true],
    ['meta.lastModified lt "2026-03-02T15:00:00Z"',                  false],
    ['emails eq "ada@home.example"',                                 true],
    ['emails[type eq "work" and value co "clinic"]',                 true],
    ['emails[type eq "home" and value co "clinic"]',                 false],
    ['emails.type eq "home" and emails.value co "clinic"',           true],
    ['emails[not (type eq "work")]',                                 true],
    // and binds stronger than or
    ['displayName eq "Ada" or displayName eq "B" and active eq false',   true],
    ['(displayName eq "Ada" or displayName eq "B") and active eq false', false],
  ])('%s is %s', (filter, expected) => expect(matches(filter)).toBe(expected));

  it.each([
    '',
    'userName',
    'userName eq',
    'userName is "a"',
    'userName eq "a" and',
    'userName eq "a" userName eq "b"',
    'userName eq "a',
    'userName eq "\\x"',
    'userName eq "\\u0000"',
    'userName eq "\\ud800"',
    'userName eq ada',
    'userName eq 5',
    'nickName eq "a"',
    'password eq "a"',
    'roles pr',
    '__proto__ pr',
    'constructor.name pr',
    'name eq "a"',
    'name.first eq "a"',
    'name[familyName eq "a"]',
    'emails[',
    'emails[type eq "work"',
    'emails[type eq "work"].value eq "a"',
    'emails.value[type eq "a"]',
    'emails[emails[type eq "a"]]',
    'active gt true',
    'active eq "yes"',
    'meta.created co "2026"',
    'meta.created gt "2026-13-45T00:00:00Z"',
    'meta.version eq "a"',
    'meta.location eq "a"',
    'groups.$ref eq "a"',
    'userName gt null',
    '(userName eq "a"',
    'userName eq "a")',
    'not userName eq "a"',
    '('.repeat(40) + 'userName pr' + ')'.repeat(40),
    '(' + '('.repeat(1999),
    Array.from({ length: 51 }, () => 'active pr').join(' or '),
    `userName eq "${'a'.repeat(2000)}"`,
  ])('%s is a 400 invalidFilter', (filter) => {
    expect(() => matches(filter)).toThrow(
      expect.objectContaining({ kind: 'bad_request', scimType: 'invalidFilter' }),
    );
  });
});
