-- Where the laboratories take samples of those who walk in. They belong to the deployment, like the catalogue. Each
-- laboratory's list is either the one that was made for sandboxes and is shipped, or the one that was imported.
create table psc_site (
  lab_id integer not null references lab (id),
  code text not null,
  name text not null,
  first_line text not null,
  second_line text,
  city text not null,
  state text not null check (state ~ '^[A-Z]{2}$'),
  zip text not null check (zip ~ '^[0-9]{5}$'),
  lat double precision not null check (lat between -90 and 90),
  lng double precision not null check (lng between -180 and 180),
  -- IANA name.
  time_zone text not null,
  phone text,
  fax text,
  -- Seven days, Monday first, each a list of {opens, closes} in local time.
  hours jsonb not null check (jsonb_array_length(hours) = 7),
  capabilities text[] not null,
  bill_types text[] not null,
  source text not null check (source in ('made', 'imported')),
  primary key (lab_id, code)
);
-- A search goes into the box around its circle by this.
create index psc_site_near on psc_site (lab_id, lat, lng);

-- One row: the checksum of the data files that are loaded.
create table psc_site_load (
  id boolean primary key default true check (id),
  checksum text not null
);

grant select on psc_site to aliquot_tenant;
grant select, insert, update, delete on psc_site to aliquot_system;
grant select, insert, update on psc_site_load to aliquot_system;
