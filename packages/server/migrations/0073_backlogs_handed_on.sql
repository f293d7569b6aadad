-- What waits for a broker when another one becomes the main one is handed on to that one in parts: what waits here up to
-- this position, as far as it was not given to the other one before (handed_over_to). Null: nothing is to be handed on.
alter table event_destination add column hands_on_up_to bigint;
-- removed: taken away by the team, and still here until what waits for it is handed on; nobody sees it, nothing is sent to it.
alter table event_destination drop constraint event_destination_role_check;
alter table event_destination add constraint event_destination_role_check
  check (role in ('main', 'reserve', 'removed'));
