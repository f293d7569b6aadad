-- A kit that was registered on its way could be carried to its laboratory without anybody's having asked that for anything,
-- and nobody asked later: the laboratories of those that still wait there are asked now. Not at once: a node of an older
-- version that is still running would take the timer and find nothing to do.
alter table lab_order no force row level security;
alter table lab_order_event no force row level security;
alter table timer no force row level security;
insert into timer (team_id, environment, job, key, due_at, due_wall, input, lane)
select o.team_id, o.environment, 'orders.request-requisition', o.id::text, now() + interval '1 hour',
  now() + interval '1 hour',
  jsonb_build_object('order_id', o.id, 'tries', 0, 'lab', o.lab_slug), o.lab_slug
from lab_order o
where o.environment = 'production' and o.registrable and o.registered_at is not null
  and o.step in ('transit_lab', 'problem_in_transit_lab', 'delivered_to_lab', 'lab_processing_blocked')
  and not exists (
    select from lab_order_event e
    where e.team_id = o.team_id and e.environment = o.environment and e.order_id = o.id
      and e.step in ('requisition_created', 'requisition_bypassed'))
on conflict (team_id, environment, job, key) do nothing;
alter table lab_order force row level security;
alter table lab_order_event force row level security;
alter table timer force row level security;
