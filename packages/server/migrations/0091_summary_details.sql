-- Whether the provider's detail of a summary was requested: each request counts against the provider's limits.
alter table wearable_summary add column is_detailed boolean not null default false;
