-- These run with the privileges of the owner. Only triggers call them, for which no right is checked when they fire.
revoke all on function aliquot_catalog_changed() from public;
revoke all on function aliquot_chain_deed() from public;
