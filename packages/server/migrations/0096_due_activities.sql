-- Days whose activity summary is still to be derived from pushed samples: those of a push that has too many for its
-- own transaction.
create table due_activity (
  team_id uuid not null,
  environment text not null,
  user_id uuid not null,
  provider text not null,
  day date not null,
  -- When the day begins for the user.
  from_at timestamptz not null,
  primary key (team_id, environment, user_id, provider, day),
  foreign key (team_id, environment, user_id) references app_user (team_id, environment, id)
    on delete cascade deferrable
);
select aliquot_protect('due_activity');
