-- Where a step of a historical pull goes on that a provider's limit interrupted: what is older in it is stored.
alter table historical_pull add column resume_from timestamptz;
