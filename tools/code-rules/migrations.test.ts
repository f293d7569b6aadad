import { expect, it } from 'vitest';
import { checkMigration } from './migrations.ts';

const check = (source: string, name = '0150_change.sql') =>
  checkMigration(`packages/server/migrations/${name}`, source);

// prettier-ignore
const CONTRACTING: readonly (readonly [statement: string, reason: RegExp])[] = [
  ['drop table team',                                        /:2: migration: it drops,/],
  ['drop function aliquot_enqueue(text, json)',              /it drops,/],
  ['alter table team drop column name',                      /it drops,/],
  ['alter table team drop name',                             /it drops,/],
  ['alter table team alter column name drop default',        /it drops,/],
  ['alter table team rename column name to title',           /it renames,/],
  ['alter table team rename to crew',                        /it renames,/],
  ['alter table team alter name type varchar(5)',            /changes the type of a column,/],
  ['alter table team alter column name set data type text',  /changes the type of a column,/],
  ['alter table team alter column region set not null',      /requires a value/],
  ['alter table team add column a text not null',            /a column that older processes do not fill,/],
  ['alter table team add check (name <> \'\')',              /a rule that/],
  ['alter table team add constraint one unique (name)',      /a rule that/],
  ['create unique index team_name on team (name)',           /a unique index/],
  ['delete from team where name is null',                    /deletes rows,/],
  ['truncate team',                                          /deletes rows,/],
  ['revoke select on team from aliquot_tenant',              /takes a right away,/],
  ['do $$ begin drop table team; end $$',                    /it drops,/],
  ['DROP TABLE\n  team',                                     /it drops,/],
];

it.each(CONTRACTING)('a migration that takes something away says so: %s', (statement, reason) => {
  const found = check(`-- Changes.\n${statement};\n`);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(reason);
  expect(check(`-- Changes.\n-- Contract: 0.4.0\n${statement};\n`)).toEqual([]);
  expect(check(`-- Changes.\n${statement};\n`, '0143_before.sql')).toEqual([]);
});

// prettier-ignore
const EXPANDING = [
  'create table a (id int primary key, name text not null unique)',
  'create table a (id int); alter table a add check (id > 0); drop table a',
  'alter table team add column a text',
  'alter table team add column a text not null default \'\', add column b int',
  'alter table team add column a uuid; alter table team add foreign key (a) references lab (id)',
  'alter table team add column a text; create unique index team_a on team (a) where a is not null',
  'alter table team alter column name drop not null',
  'alter table team drop constraint team_name_check',
  'drop index team_name',
  'create function a() returns void language sql as $$ delete from team $$; revoke all on function a() from public',
  'update team set region = \'drop table team; delete from team\'',
  '-- drop table team\nselect 1',
];

it.each(EXPANDING)('a migration that only adds is taken: %s', (statements) => {
  expect(check(`-- Adds.\n${statements};\n`)).toEqual([]);
});
