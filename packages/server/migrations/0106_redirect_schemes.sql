-- A redirect to an app needs its scheme in the team's setting allowed_redirect_schemes. Teams that redirected to apps
-- before keep doing so: the schemes of their link tokens are registered when they are first needed, by the service,
-- because redirect URLs are encrypted with the key of the tenant.
alter table team_environment add column redirect_schemes_due boolean not null default false;
update team_environment e set redirect_schemes_due = true
where exists (
  select from link_token t
  where t.team_id = e.team_id and t.environment = e.environment
    and (t.private is not null or t.redirect_url is not null));
