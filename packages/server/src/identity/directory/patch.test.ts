import { describe, expect, it } from 'vitest';
import { applyPatch, parsePatch } from './patch.ts';
import { GROUP_RESOURCE, USER_RESOURCE } from './scim-schema.ts';

const user = {
  id: 'u',
  userName: 'ada',
  name: { givenName: 'Ada', familyName: 'Byron' },
  active: true,
  emails: [{ value: 'ada@clinic.example', type: 'work', primary: true }],
  meta: { version: '1' },
};
const group = { id: 'g', displayName: 'Staff', members: [{ value: 'a', type: 'User' }, { value: 'b' }] };

const patchUser = (...Operations: unknown[]) => applyPatch(USER_RESOURCE, user, parsePatch({ Operations }));
const patchGroup = (...Operations: unknown[]) =>
  applyPatch(GROUP_RESOURCE, group, parsePatch({ Operations }));

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

describe('a PATCH of a user', () => {
  // prettier-ignore
  it.each([
    ['Entra: a capitalized operation, a boolean as a string', { op: 'Replace', path: 'active', value: 'False' }, { active: 'False' }],
    ['Entra: dotted names without a path', { op: 'replace', value: { 'name.familyName': 'Lovelace', displayName: 'Ada L' } }, { name: { givenName: 'Ada', familyName: 'Lovelace' }, displayName: 'Ada L' }],
    ['Entra: a path with a filter as a name', { op: 'Add', value: { 'emails[type eq "work"].value': 'x@y.example' } }, { emails: [{ value: 'x@y.example', type: 'work', primary: true }] }],
    ['Entra: the extension, which is ignored', { op: 'Add', path: `${ENTERPRISE}:department`, value: 'Lab' }, {}],
    ['Entra: the manager, which is ignored', { op: 'Replace', value: { [ENTERPRISE]: { manager: 'x' } } }, {}],
    ['Okta: no path', { op: 'replace', value: { active: false } }, { active: false }],
    ['a whole complex attribute keeps what it does not name', { op: 'replace', path: 'name', value: { familyName: 'King' } }, { name: { givenName: 'Ada', familyName: 'King' } }],
    ['a URN before the attribute', { op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:name.givenName', value: 'A' }, { name: { givenName: 'A', familyName: 'Byron' } }],
    ['names in other case', { op: 'replace', path: 'NAME.GIVENNAME', value: 'A' }, { name: { givenName: 'A', familyName: 'Byron' } }],
    ['remove a part', { op: 'remove', path: 'name.givenName' }, { name: { familyName: 'Byron' } }],
    ['null is a removal', { op: 'replace', path: 'name.givenName', value: null }, { name: { familyName: 'Byron' } }],
    ['replace by a filter', { op: 'replace', path: 'emails[type eq "work"].value', value: 'n@y.example' }, { emails: [{ value: 'n@y.example', type: 'work', primary: true }] }],
    ['add where no value matches makes one', { op: 'add', path: 'emails[type eq "home"].value', value: 'h@y.example' }, { emails: [...user.emails, { type: 'home', value: 'h@y.example' }] }],
    ['remove by a filter', { op: 'remove', path: 'emails[value ew "clinic.example"]' }, { emails: [] }],
    ['read-only attributes of a whole resource are left out', { op: 'replace', value: { id: 'x', meta: {}, schemas: [], groups: [] } }, {}],
  ])('%s', (_name, operation, changed) => {
    expect(patchUser(operation)).toEqual({ ...user, ...changed });
  });

  // prettier-ignore
  it.each([
    [{ op: 'copy', path: 'active', value: true },                      'invalidSyntax'],
    [{ op: 'replace', path: 5, value: true },                          'invalidSyntax'],
    [{ op: 'remove' },                                                 'noTarget'],
    [{ op: 'replace', value: 'x' },                                    'invalidValue'],
    [{ op: 'replace', path: 'color', value: 'x' },                     'invalidPath'],
    [{ op: 'replace', path: 'name.first', value: 'x' },                'invalidPath'],
    [{ op: 'replace', path: 'name[givenName eq "x"]', value: 'x' },    'invalidPath'],
    [{ op: 'replace', path: 'emails[type eq', value: 'x' },            'invalidPath'],
    [{ op: 'replace', path: '__proto__.x', value: 'x' },               'invalidPath'],
    [{ op: 'replace', path: 'emails[color eq "x"].value', value: 'x' }, 'invalidFilter'],
    [{ op: 'replace', path: 'emails[type eq "home"].value', value: 'x' }, 'noTarget'],
    [{ op: 'replace', path: 'id', value: 'x' },                        'mutability'],
    [{ op: 'add', path: 'groups', value: [{ value: 'g' }] },           'mutability'],
    [{ op: 'remove', path: 'userName' },                               'mutability'],
    [{ op: 'replace', path: 'name', value: 'Ada' },                    'invalidValue'],
  ])('%j is a 400 %s', (operation, scimType) => {
    expect(() => patchUser(operation)).toThrow(expect.objectContaining({ scimType }));
  });

  it('keeps the resource that it was given', () => {
    const before = structuredClone(user);
    patchUser({ op: 'replace', path: 'name.givenName', value: 'X' });
    expect(user).toEqual(before);
  });
});

describe('a PATCH of the members of a group', () => {
  // prettier-ignore
  it.each([
    ['Entra: adds a list',                { op: 'Add', path: 'members', value: [{ $ref: null, value: 'c' }] },   ['a', 'b', 'c']],
    ['adds one that is there only once',  { op: 'add', path: 'members', value: [{ value: 'a' }] },               ['a', 'b']],
    ['adds a single object',              { op: 'add', path: 'members', value: { value: 'c' } },                 ['a', 'b', 'c']],
    ['Okta: removes by a filter',         { op: 'remove', path: 'members[value eq "a"]' },                       ['b']],
    ['Entra: removes a list',             { op: 'Remove', path: 'members', value: [{ value: 'b' }] },            ['a']],
    ['removes one who is not there',      { op: 'remove', path: 'members[value eq "z"]' },                       ['a', 'b']],
    ['removes all',                       { op: 'remove', path: 'members' },                                     []],
    ['replaces all',                      { op: 'replace', path: 'members', value: [{ value: 'z' }] },           ['z']],
    ['replaces all by none',              { op: 'replace', path: 'members', value: [] },                         []],
    ['Okta: replaces without a path',     { op: 'replace', value: { id: 'g', displayName: 'Staff', members: [{ value: 'q' }] } }, ['q']],
  ])('%s', (_name, operation, expected) => {
    const { members } = patchGroup(operation) as { members: { value: string }[] };
    expect(members.map(({ value }) => value)).toEqual(expected);
  });

  it('applies operations in their order', () => {
    const { members } = patchGroup(
      { op: 'add', path: 'members', value: [{ value: 'c' }] },
      { op: 'remove', path: 'members[value eq "c" or value eq "a"]' },
    ) as { members: { value: string }[] };
    expect(members.map(({ value }) => value)).toEqual(['b']);
  });
});

it.each([undefined, null, 'x', [], {}, { Operations: [] }, { Operations: {} }])(
  'the body %j is a 400 invalidSyntax',
  (body) => expect(() => parsePatch(body)).toThrow(expect.objectContaining({ scimType: 'invalidSyntax' })),
);
