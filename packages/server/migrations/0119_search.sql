-- What the search of a team looks for. Comparisons of text in the "C" collation are leak-proof, so that row-level security
-- lets them use an index.
create index app_user_client_prefix on app_user (team_id, environment, (client_user_id collate "C")) where deleted_at is null;
create index parcel_of_team_by_number on parcel (team_id, environment, (tracking_number collate "C"));
-- Lab tests that the service makes for single orders are not searched, so that the cost depends on the catalog alone.
create index lab_test_of_catalog on lab_test (team_id, environment, name, id) where not auto_generated;
-- Markers belong to no tenant. Words are compared by their beginnings.
create index marker_words on marker
  using gin (to_tsvector('simple', regexp_replace(name, '[^[:alnum:]]+', ' ', 'g'))) where retired_at is null;
