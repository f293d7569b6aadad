-- An endpoint that was deleted, and whose messages and attempts are still being removed; nobody sees it any more.
alter table webhook_endpoint add column deleted_at timestamptz;
