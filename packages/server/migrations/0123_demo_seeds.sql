-- The data of a demo connection depend on the id of its user, which differs each time a demo team is filled. A seed makes
-- them the same each time.
alter table connection add column demo_seed text;
