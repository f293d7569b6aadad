-- Until when a management key opens the door, on the clock of the service; null: for ever.
alter table management_key
  add column expires_at timestamptz,
  -- The key that took its place when it was rotated; it lives on until expires_at.
  add column replaced_by uuid references management_key (id);
