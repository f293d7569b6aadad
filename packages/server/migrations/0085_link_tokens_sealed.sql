-- Where a user is led back to may say who they are, or carry a word that lets them in. What was written until now, which
-- holds for an hour, stays in redirect_url.
alter table link_token add column private bytea;
alter table link_token alter column private set storage external;
