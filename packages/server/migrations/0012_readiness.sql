-- Every process asks, in the role of its connections, whether the database has the form that it expects.
grant select on kysely_migration to aliquot_tenant;
