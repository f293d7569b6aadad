-- The laboratory's own documents: files enclosed in a report, and references to files elsewhere. They belong to the
-- report that brought them, and so to its order as soon as it is attached, and are deleted with it.
create table lab_document (
  team_id uuid not null,
  environment text not null,
  id uuid not null,
  incoming_result_id uuid not null,
  -- Sealed: title, type, size and address.
  description bytea not null,
  -- Sealed: the file; null for a reference.
  content bytea,
  created_at timestamptz not null,
  primary key (team_id, environment, id),
  foreign key (team_id, environment, incoming_result_id)
    references incoming_result (team_id, environment, id) on delete cascade
);
select aliquot_protect('lab_document');
alter table lab_document alter column description set storage external, alter column content set storage external;
create index lab_document_of_report on lab_document (incoming_result_id);
