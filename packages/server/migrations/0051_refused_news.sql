-- Set: the provider works but does not register us for its news, since then; why is in the sealed part.
alter table connection add column news_refused_at timestamptz;
