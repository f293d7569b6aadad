/**
 * A machine that loses power or network closes no connection, and the server would keep the locks of its sessions for
 * hours. With these settings the server probes a silent session after half a minute, and ends it after another half
 * without a response. Set in the session and not at connect time, because a proxy in between may not support startup
 * options.
 */
export const SET_TCP_KEEPALIVES =
  'SET tcp_keepalives_idle=30;SET tcp_keepalives_interval=10;SET tcp_keepalives_count=3';
