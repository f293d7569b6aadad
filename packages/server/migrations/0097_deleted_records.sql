-- Records that a provider reported as deleted: a pull that began before, or that a provider answers late, must not bring
-- them back. The newest thousand of a connection, for a month.
create table deleted_record (
  team_id uuid not null,
  environment text not null,
  connection_id uuid not null,
  resource text not null,
  key text not null,
  deleted_at timestamptz not null,
  primary key (team_id, environment, connection_id, resource, key),
  foreign key (team_id, environment, connection_id) references connection (team_id, environment, id)
    on delete cascade deferrable
);
select aliquot_protect('deleted_record');
