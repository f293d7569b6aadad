-- The calendar of a team: its appointments by start, those without a time last. Withdrawn bookings, which nobody was told
-- of, are not in it.
create index appointment_by_start on appointment (team_id, environment, type, status, start_at, id)
  where told_at is not null;
