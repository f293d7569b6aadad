-- What a deployment brings into the catalogue itself, by `aliquot catalog import`, beside what is shipped. Each keeps
-- to its own rows: the files that are shipped are loaded again after an update and must not undo what was imported.
alter table lab
  add column source text not null default 'shipped' check (source in ('shipped', 'imported'));
alter table marker
  add column source text not null default 'shipped' check (source in ('shipped', 'imported')),
  -- CPT belongs to the American Medical Association and is not shipped; who may use it imports it.
  add column cpt_codes text[] not null default '{}';

-- Everything imported has its number from here, whether laboratory, marker, result, question or answer; what is
-- shipped stays below.
create sequence catalog_import_id as integer start 1000000000 minvalue 1000000000;
grant usage on sequence catalog_import_id to aliquot_system;

-- The operator approves what teams in production put together.
select aliquot_open_to_system('lab_test', 'select');
create index lab_test_pending on lab_test (created_at) where status = 'pending_approval';
