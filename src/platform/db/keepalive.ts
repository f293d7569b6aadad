/**
 * A machine that loses its power or its network closes no connection, and the server would hold what its sessions have
 * locked for hours. A session that begins so is asked after half a minute of silence whether anybody is there, and ends
 * after another half without an answer. Said in the session and not when connecting: what stands between may not know it.
 */
export const ENDS_WITH_ITS_PEER =
  'SET tcp_keepalives_idle=30;SET tcp_keepalives_interval=10;SET tcp_keepalives_count=3';
